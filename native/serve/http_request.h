// SPDX-License-Identifier: Apache-2.0
// What a browser asks of a server of files, read from the head of an HTTP/1.1 request: the method,
// the target, and the few header fields that change the answer.
#ifndef TERN_NATIVE_SERVE_HTTP_REQUEST_H_
#define TERN_NATIVE_SERVE_HTTP_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>

namespace tern::native {

struct HttpRequest {
  std::string_view path;   // as it was written: nothing is decoded
  std::string_view query;  // behind the '?', as it was written
  std::string_view host;   // without its port
  bool head_only = false;
  bool keep_alive = true;
  bool accepts_gzip = false;
  bool same_origin = false;  // a browser says that a page of this server asks (Sec-Fetch-Site)
};

// Status codes of HTTP, of those that this server answers with.
enum class HttpStatus : int {
  kOk = 200,
  kBadRequest = 400,
  kForbidden = 403,
  kNotFound = 404,
  kMethodNotAllowed = 405,
  kTimeout = 408,
  kContentTooLarge = 413,
  kHeadTooLarge = 431,
  kVersionNotSupported = 505,
};
const char* ReasonOf(HttpStatus status);

// Longer heads are refused: those of browsers are below 4 KiB.
inline constexpr size_t kMaxHttpHead = 16 << 10;

// Where the empty line behind the head ends; npos while the head is not whole.
size_t EndOfHead(std::string_view bytes);

// The value of a name of a query, with its %XX decoded: "n" of "a=1&n=x%20y". Nothing where it is
// not there, or where what follows a '%' is no byte.
std::optional<std::string> QueryValue(std::string_view query, std::string_view name);

// Reads a whole head, its last empty line included. kOk, or the status that refuses it.
HttpStatus ParseRequest(std::string_view head, HttpRequest* request);

}  // namespace tern::native

#endif  // TERN_NATIVE_SERVE_HTTP_REQUEST_H_
