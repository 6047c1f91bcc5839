// SPDX-License-Identifier: Apache-2.0
// A server of files for the browser on this machine: HTTP/1.1 on 127.0.0.1, GET and HEAD, one
// thread. What it serves is a table from addresses to files, and to texts that are made when they
// are asked for, that its owner fills: no request leads to a path of the file system that is not in
// the table.
#ifndef TERN_NATIVE_SERVE_FILE_SERVER_H_
#define TERN_NATIVE_SERVE_FILE_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "native/serve/http_request.h"

namespace tern::native {

struct ServedFile {
  std::string path;       // opened at each request, so that a changed file is served as it is now
  std::string type;       // as in "Content-Type: "
  std::string gzip;       // path of the same bytes packed, for who accepts them; empty: none
  // What is served where the path is empty: a text that is made of the request's query, or nothing
  // where that makes no sense. Others wait meanwhile. Only pages of this server may ask for it: a
  // page of another one could otherwise keep the machine busy.
  std::function<std::optional<std::string>(std::string_view query)> make = {};
};
using ServedFiles = std::map<std::string, ServedFile, std::less<>>;  // by address: "/index.html"

// text/javascript and so on, by the ending of a name.
std::string_view TypeOfFile(std::string_view name);

// An address of this text: all but letters, digits and "-._~" as %XX. '/' stays where asked for.
std::string EscapeAddress(std::string_view text, bool keep_slashes = false);

// Adds the regular files below a folder, index.html also as "/". Links are left out: they may lead
// anywhere. A file beside which the same name with .gz lies gets that as its packed form.
Status AddFolder(const std::string& folder, ServedFiles* files);

class FileServer {
 public:
  // Called with what each request was answered by: "200 GET /index.html HTTP/1.1".
  using Log = std::function<void(std::string_view)>;

  // port 0: any that is free.
  static Result<std::unique_ptr<FileServer>> Listen(int port, ServedFiles files, Log log = {});
  ~FileServer();
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

  int port() const { return port_; }
  // Answers until SIGINT or SIGTERM, which do nothing else from Listen on; the handlers there were
  // come back with the end of the object.
  Status Run();

 private:
  struct Connection;
  class StopSignals;
  FileServer(int listener, int port, ServedFiles files, Log log);

  void Accept();
  // What happened on a connection: whether it goes on.
  bool Serve(Connection* connection, short events);
  bool Receive(Connection* connection);
  bool Send(Connection* connection);
  void AnswerNext(Connection* connection);
  void Answer(std::string_view head, Connection* connection);
  void AnswerMade(const ServedFile& served, const HttpRequest& request, std::string_view line,
                  Connection* connection);
  void Refuse(HttpStatus status, std::string_view what, Connection* connection);

  std::unique_ptr<StopSignals> signals_;
  int listener_;
  int port_;
  ServedFiles files_;
  Log log_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_SERVE_FILE_SERVER_H_
