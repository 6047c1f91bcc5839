// SPDX-License-Identifier: Apache-2.0
// One poll loop over non-blocking sockets. Browsers open connections before they need them and say
// nothing on them for a while, so that answering one after another would make them wait.
#include "native/serve/file_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "core/base/strings.h"
#include "native/serve/http_request.h"

namespace tern::native {
namespace {

using Clock = std::chrono::steady_clock;
// For a whole request, and for the next one: a client that stops in between is no longer waited
// for.
constexpr std::chrono::seconds kPatience(15);
// After a refusal what the client still sends is read and dropped: closing at once would take the
// answer back before the client has read it.
constexpr std::chrono::seconds kDrainTime(1);
// A browser opens some six; this is for one browser.
constexpr size_t kMaxConnections = 64;
// What is sent before others have their turn.
constexpr size_t kPiece = 64 << 10;

Status SocketError(std::string_view what, int port) {
  Status status = IoError("cannot ", what, " on 127.0.0.1:", port, ": ", strerror(errno));
  status.SetErrorCode("E0102");
  if (errno == EADDRINUSE)
    status.AddNote("help: another program uses this port; --port 0 takes one that is free");
  if (errno == EACCES) status.AddNote("help: ports below 1024 belong to the system's own servers");
  return status;
}

// The same for every answer. The page may use shared memory (the second and third), nobody else may
// read or frame what is served, and nothing is kept: the next program on this port is another one.
constexpr std::string_view kFieldsOfAll =
    "Cache-Control: no-cache\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Embedder-Policy: require-corp\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Content-Security-Policy: frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n";

std::string HeadOf(HttpStatus status, std::string_view type, uint64_t bytes) {
  return StrCat("HTTP/1.1 ", static_cast<int>(status), " ", ReasonOf(status),
                "\r\nContent-Type: ", type, "\r\nContent-Length: ", bytes, "\r\n", kFieldsOfAll);
}

// Page that a name in the browser's address leads to could be another site's that points its own
// name at this machine; only these names are this server's.
bool IsThisMachine(std::string_view host) { return host == "127.0.0.1" || host == "localhost"; }

volatile sig_atomic_t stop_asked = 0;

// Requests in a terminal or a log: nothing in them may be more than text.
std::string Printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

std::string_view TypeOfFile(std::string_view name) {
  struct Row {
    std::string_view ending, type;
  };
  // What the page consists of; a browser takes no module of another type.
  constexpr Row kRows[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".wasm", "application/wasm"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".gz", "application/gzip"},
  };
  for (const Row& row : kRows)
    if (name.ends_with(row.ending)) return row.type;
  return "application/octet-stream";
}

std::string EscapeAddress(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
        std::string_view("-._~").find(c) != std::string_view::npos || (c == '/' && keep_slashes)) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

Status AddFolder(const std::string& folder, ServedFiles* files) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at->is_symlink() || !at->is_regular_file()) continue;
    const std::string path = at->path().string();
    const std::string name = path.substr(folder.size() + (folder.ends_with('/') ? 0 : 1));
    const fs::path gzip = path + ".gz";
    const bool is_packed = fs::is_regular_file(fs::symlink_status(gzip, error)) && !error;
    error.clear();  // of a file that is not there
    (*files)[StrCat("/", EscapeAddress(name, true))] = {path, std::string(TypeOfFile(name)),
                                                        is_packed ? gzip.string() : ""};
  }
  if (error)
    return IoError("cannot read the folder '", folder, "': ", error.message())
        .SetErrorCode("E0101");
  if (const auto index = files->find("/index.html"); index != files->end())
    (*files)["/"] = index->second;
  return Status();
}

// While it lives, SIGINT and SIGTERM end the loop: they arrive in `ppoll` only, so that none is
// missed between a look at the flag and the wait.
class FileServer::StopSignals {
 public:
  StopSignals() {
    stop_asked = 0;
    sigset_t stops;
    sigemptyset(&stops);
    for (const int number : kStops) sigaddset(&stops, number);
    sigprocmask(SIG_BLOCK, &stops, &before_mask_);
    struct sigaction action = {};
    action.sa_handler = [](int) { stop_asked = 1; };
    for (size_t i = 0; i < std::size(kStops); ++i) sigaction(kStops[i], &action, &before_[i]);
    waiting_mask_ = before_mask_;
    for (const int number : kStops) sigdelset(&waiting_mask_, number);
  }
  ~StopSignals() {
    for (size_t i = 0; i < std::size(kStops); ++i) sigaction(kStops[i], &before_[i], nullptr);
    sigprocmask(SIG_SETMASK, &before_mask_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const sigset_t* waiting_mask() const { return &waiting_mask_; }

 private:
  static constexpr int kStops[] = {SIGINT, SIGTERM};
  struct sigaction before_[std::size(kStops)];
  sigset_t before_mask_, waiting_mask_;
};

// A client. It is read from until a head is whole, then written to until the answer is; what it
// sent behind the head waits.
struct FileServer::Connection {
  explicit Connection(int fd) : socket(fd) {}
  ~Connection() {
    close(socket);
    if (file >= 0) close(file);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool Refill();
  bool answering() const { return sent < out.size() || file >= 0; }
  void GiveTime(std::chrono::seconds patience) { deadline = Clock::now() + patience; }

  const int socket;
  std::string in, out;
  size_t sent = 0;
  int file = -1;      // what is sent behind `out`
  uint64_t left = 0;  // bytes of it
  bool ends = false;  // after this answer
  bool drains = false;
  Clock::time_point deadline = Clock::now() + kPatience;
};

FileServer::FileServer(int listener, int port, ServedFiles files, Log log)
    : signals_(std::make_unique<StopSignals>()),
      listener_(listener),
      port_(port),
      files_(std::move(files)),
      log_(std::move(log)) {}

FileServer::~FileServer() { close(listener_); }

Result<std::unique_ptr<FileServer>> FileServer::Listen(int port, ServedFiles files, Log log) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return SocketError("open a socket", port);
  const int on = 1;
  // A port whose last user has just gone is free.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, any, size) != 0 || listen(fd, SOMAXCONN) != 0 || getsockname(fd, any, &size) != 0) {
    Status status = SocketError("listen", port);
    close(fd);
    return status;
  }
  return std::unique_ptr<FileServer>(
      new FileServer(fd, ntohs(address.sin_port), std::move(files), std::move(log)));
}

Status FileServer::Run() {
  while (stop_asked == 0) {
    std::vector<pollfd> polled;
    for (const auto& connection : connections_)
      polled.push_back(
          {connection->socket, static_cast<short>(connection->answering() ? POLLOUT : POLLIN), 0});
    const size_t count = connections_.size();
    // Who comes while all places are taken waits in the system's queue.
    if (count < kMaxConnections) polled.push_back({listener_, POLLIN, 0});
    const timespec second = {.tv_sec = 1, .tv_nsec = 0};
    const int ready = ppoll(polled.data(), polled.size(), count == 0 ? nullptr : &second,
                            signals_->waiting_mask());
    if (ready < 0 && errno != EINTR) return SocketError("wait", port_);
    if (ready < 0) continue;
    for (size_t i = 0; i < count; ++i)
      if (!Serve(connections_[i].get(), polled[i].revents)) connections_[i].reset();
    std::erase(connections_, nullptr);
    if (polled.size() > count && polled[count].revents != 0) Accept();
  }
  return Status();
}

void FileServer::Accept() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  // One that has gone again is none.
  if (fd >= 0) connections_.push_back(std::make_unique<Connection>(fd));
}

bool FileServer::Serve(Connection* connection, short events) {
  if ((events & (POLLERR | POLLNVAL)) != 0) return false;
  if ((events & POLLOUT) != 0 && !Send(connection)) return false;
  if ((events & (POLLIN | POLLHUP)) != 0 && !Receive(connection)) return false;
  if (Clock::now() < connection->deadline) return true;
  // Half a request gets an answer, a connection without one just ends.
  if (connection->answering() || connection->drains || connection->in.empty()) return false;
  Refuse(HttpStatus::kTimeout, "", connection);
  return true;
}

bool FileServer::Receive(Connection* connection) {
  char buffer[kPiece / 4];
  const ssize_t got = recv(connection->socket, buffer, sizeof buffer, 0);
  if (got == 0) return false;
  if (got < 0) return WouldBlock();
  if (connection->drains) return true;
  connection->in.append(buffer, static_cast<size_t>(got));
  AnswerNext(connection);
  return true;
}

void FileServer::AnswerNext(Connection* connection) {
  const size_t end = EndOfHead(connection->in);
  if (std::min(end, connection->in.size()) > kMaxHttpHead) {
    Refuse(HttpStatus::kHeadTooLarge, "", connection);
  } else if (end != std::string::npos) {
    const std::string head = connection->in.substr(0, end);
    connection->in.erase(0, end);
    Answer(head, connection);
  }
}

void FileServer::Refuse(HttpStatus status, std::string_view what, Connection* connection) {
  const std::string text = StrCat(ReasonOf(status), "\n");
  connection->out = StrCat(HeadOf(status, "text/plain; charset=utf-8", text.size()),
                           status == HttpStatus::kMethodNotAllowed ? "Allow: GET, HEAD\r\n" : "",
                           "Connection: close\r\n\r\n", text);
  connection->sent = 0;
  connection->ends = true;
  connection->GiveTime(kPatience);
  if (log_) log_(StrCat(static_cast<int>(status), " ", Printable(what)));
}

void FileServer::Answer(std::string_view head, Connection* connection) {
  HttpRequest request;
  HttpStatus status = ParseRequest(head, &request);
  if (status == HttpStatus::kOk && !IsThisMachine(request.host)) status = HttpStatus::kForbidden;
  const auto found = files_.find(request.path);
  if (status == HttpStatus::kOk && found == files_.end()) status = HttpStatus::kNotFound;
  const std::string_view line = head.substr(0, head.find('\r'));
  if (status != HttpStatus::kOk) return Refuse(status, line, connection);

  const ServedFile& served = found->second;
  if (served.path.empty()) return AnswerMade(served, request, line, connection);
  const bool is_packed = request.accepts_gzip && !served.gzip.empty();
  const std::string& path = is_packed ? served.gzip : served.path;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info = {};
  if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    if (file >= 0) close(file);
    return Refuse(HttpStatus::kNotFound, line, connection);
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  connection->ends = !request.keep_alive;
  connection->out = StrCat(HeadOf(HttpStatus::kOk, served.type, size),
                           is_packed ? "Content-Encoding: gzip\r\n" : "",
                           served.gzip.empty() ? "" : "Vary: Accept-Encoding\r\n",
                           connection->ends ? "Connection: close\r\n" : "", "\r\n");
  connection->sent = 0;
  connection->GiveTime(kPatience);
  if (request.head_only) {
    close(file);
  } else {
    connection->file = file;
    connection->left = size;
  }
  if (log_) log_(StrCat(static_cast<int>(HttpStatus::kOk), " ", line));
}

void FileServer::AnswerMade(const ServedFile& served, const HttpRequest& request,
                            std::string_view line, Connection* connection) {
  if (!request.same_origin) return Refuse(HttpStatus::kForbidden, line, connection);
  const std::optional<std::string> made = served.make(request.query);
  if (!made) return Refuse(HttpStatus::kBadRequest, line, connection);
  connection->ends = !request.keep_alive;
  connection->out = StrCat(HeadOf(HttpStatus::kOk, served.type, made->size()),
                           connection->ends ? "Connection: close\r\n" : "", "\r\n",
                           request.head_only ? "" : *made);
  connection->sent = 0;
  connection->GiveTime(kPatience);
  if (log_) log_(StrCat(static_cast<int>(HttpStatus::kOk), " ", line));
}

// Refills `out` from the file; false where the file is shorter than was said.
bool FileServer::Connection::Refill() {
  out.resize(std::min<uint64_t>(left, kPiece));
  sent = 0;
  const ssize_t got = out.empty() ? 0 : read(file, out.data(), out.size());
  if (got < 0 || (got == 0 && left > 0)) return false;
  out.resize(static_cast<size_t>(got));
  left -= static_cast<uint64_t>(got);
  if (left == 0) {
    close(file);
    file = -1;
  }
  return true;
}

bool FileServer::Send(Connection* connection) {
  Connection& to = *connection;
  if (to.sent == to.out.size() && to.file >= 0 && !to.Refill()) return false;
  const ssize_t put =
      send(to.socket, to.out.data() + to.sent, to.out.size() - to.sent, MSG_NOSIGNAL);
  if (put < 0) return WouldBlock();
  to.sent += static_cast<size_t>(put);
  to.GiveTime(kPatience);
  if (to.answering()) return true;
  if (to.ends) {
    shutdown(to.socket, SHUT_WR);
    to.drains = true;
    to.GiveTime(kDrainTime);
  } else {
    // What came behind the last head.
    AnswerNext(connection);
  }
  return true;
}

}  // namespace tern::native
