// SPDX-License-Identifier: Apache-2.0
// tern play: serves the page (docs/playground.md) to this machine, with a program loaded and the
// record of a run of it, and opens the browser at it.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "core/base/strings.h"
#include "core/vm/debug/trace_reader.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/emit_loops.h"
#include "native/cli/program_file.h"
#include "native/cli/recorded_run.h"
#include "native/cli/report.h"
#include "native/serve/file_server.h"
#include "native/serve/http_request.h"

extern char** environ;

namespace tern::cli {
namespace {

struct PlayOptions {
  std::string program, trace;  // or the other way round
  std::string page;
  int port = 0;
  bool no_open = false;
};

// Where the page lies, from the folder of this program: of an installed one, and of one that was
// built in the tree.
constexpr const char* kPageFolders[] = {"../share/tern/page", "../../web/dist"};

bool HoldsPage(const std::string& folder) {
  struct stat info;
  return stat(StrCat(folder, "/index.html").c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// "/usr/bin", of the program itself and not of a link to it; empty where the system does not say.
std::string ProgramFolder() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  const std::string_view text(path, size > 0 ? static_cast<size_t>(size) : 0);
  return std::string(text.substr(0, std::min(text.rfind('/'), text.size())));
}

Result<std::string> FindPage(const std::string& asked) {
  if (!asked.empty()) {
    if (HoldsPage(asked)) return asked;
    return UsageError("E0003", StrCat("--page: '", asked, "' holds no index.html"))
        .AddNote("help: give the folder of the built page, such as web/dist")
        .Clone();
  }
  const std::string here = ProgramFolder();
  Status missing = IoError("the page is not installed beside this program").SetErrorCode("E0101");
  for (const char* folder : kPageFolders) {
    const std::string place = StrCat(here, "/", folder);
    if (HoldsPage(place)) return place;
    missing.AddNote(StrCat("looked in: ", place));
  }
  return std::move(
      missing.AddNote("help: install the package tern again, build the page with "
                      "tools/build_web.sh, or name its folder with --page"));
}

// What the page is given; empty where it is given nothing of the kind.
struct PlayedFiles {
  std::string program, record;
};

// Takes the file for what it is; says at once what the page would say after a browser has started.
Status AddFile(const std::string& path, PlayedFiles* played) {
  if (path == "-")
    return UsageError("E0003",
                      "play serves a file, as often as the page is opened; standard input "
                      "can be read once");
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  if (file.text().empty())
    return InvalidArgument("'", path, "' is empty, not a program").SetErrorCode("E0604");
  const bool is_record = vm::SavedTrace::HasMark(file.file->bytes());
  std::string& place = is_record ? played->record : played->program;
  if (!place.empty())
    return UsageError("E0003", StrCat("'", place, "' and '", path, "' are both ",
                                      is_record ? "records of runs" : "programs"))
        .AddNote("help: give one program, and one record of a run of it or none")
        .Clone();
  place = path;
  if (!is_record) return Status();
  const Result<vm::SavedTrace> trace = ReadTrace(path, file.file->bytes());
  return trace.ok() ? Status() : trace.status().Clone();
}

Result<PlayedFiles> CheckFiles(const PlayOptions& options) {
  PlayedFiles played;
  for (const std::string* path : {&options.program, &options.trace})
    if (!path->empty()) TERN_TRY(AddFile(*path, &played));
  if (played.program.empty() && !played.record.empty())
    return UsageError("E0003", StrCat("'", played.record,
                                      "' is the record of a run, which holds no program"))
        .AddNote(StrCat("help: give the program too: tern play ", played.record, " PROGRAM"))
        .Clone();
  return played;
}

// Serves a file under its own name, below a folder that the page has not, and gives the part of the
// query that names it.
std::string Serve(const char* parameter, const char* folder, const std::string& path,
                  native::ServedFiles* files) {
  const std::string address =
      StrCat(folder, "/", native::EscapeAddress(path.substr(path.rfind('/') + 1)));
  (*files)[StrCat("/", address)] = {path, "application/octet-stream", ""};
  return StrCat(parameter, "=", native::EscapeAddress(address, true));
}

// The page asks here for listings of loop programs, which it cannot make itself: of the text that
// stands in its editor then.
std::string ServeListings(native::ServedFiles* files) {
  if (!CanListLoops()) return "";
  constexpr const char* kAddress = "listings";
  const auto make = [](std::string_view query) -> std::optional<std::string> {
    const std::optional<std::string> text = native::QueryValue(query, "text");
    if (!text) return std::nullopt;
    return ListLoopsForPage("program.tloop", *text);
  };
  (*files)[StrCat("/", kAddress)] = {"", "application/json", "", make};
  return StrCat("&listings=", kAddress);
}

// Whether there is a screen that a browser could open on.
bool HasScreen() { return getenv("DISPLAY") != nullptr || getenv("WAYLAND_DISPLAY") != nullptr; }

// The user's browser, by the desktop's own command. Without one the address in the terminal is all
// that is needed, so nothing is reported.
void OpenBrowser(const std::string& url) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // What a browser says is no output of this command.
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  // The server's Ctrl-C is not the browser's, nor are the signals that the server holds back.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string program = "xdg-open", address = url;
  char* const arguments[] = {program.data(), address.data(), nullptr};
  pid_t child;
  posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
}

void PrintAddress(const std::string& url, const std::string& page, const GlobalOptions& globals) {
  if (!globals.json()) return Print(StrCat(url, "   (Ctrl-C stops it)\n"));
  JsonWriter json = BeginAnswer();
  json.Field("url", url).Field("page", page).EndObject();
  Print(StrCat(json.text(), "\n"));
}

Status Play(const PlayOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const std::string page, FindPage(options.page));
  native::ServedFiles files;
  TERN_TRY(native::AddFolder(page, &files));
  // Without a path the page shows what it shows a visitor, and keeps nothing in the browser.
  std::string query = "?src=";
  TERN_TRY_ASSIGN(const PlayedFiles played, CheckFiles(options));
  if (!played.program.empty()) {
    query = StrCat("?", Serve("src", "open", played.program, &files));
  }
  query += ServeListings(&files);
  if (!played.record.empty()) query += StrCat("&", Serve("trace", "record", played.record, &files));
  native::FileServer::Log log;
  if (globals.verbose) log = [](std::string_view line) { PrintError(StrCat(line, "\n")); };
  TERN_TRY_ASSIGN(const std::unique_ptr<native::FileServer> server,
                  native::FileServer::Listen(options.port, std::move(files), std::move(log)));
  const std::string url = StrCat("http://127.0.0.1:", server->port(), "/", query);
  PrintAddress(url, page, globals);
  TERN_TRY(CheckOutput());
  if (!options.no_open && HasScreen()) OpenBrowser(url);
  return server->Run();
}

}  // namespace

CommandAction SetupPlay(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<PlayOptions>();
  app->add_option("program", options->program,
                  "what the page shows: an executable, an ONNX model, a program (.tn), .tasm or "
                  ".tloop text; without one, what it shows a visitor");
  app->add_option("trace", options->trace,
                  "the record of a run of it (.terntrace), which the page runs again for you to "
                  "walk through; it may also stand before the program");
  app->add_option("--port", options->port, "of 127.0.0.1 (default 0: any that is free)")
      ->check(CLI::Range(0, 65535));
  app->add_flag("--no-open", options->no_open, "only print the address, open no browser");
  app->add_option("--page", options->page,
                  "folder of the built page (default: beside the program)");
  return [options, globals] { return Play(*options, *globals); };
}

}  // namespace tern::cli
