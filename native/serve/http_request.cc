// SPDX-License-Identifier: Apache-2.0
// Strict where the standard leaves room (RFC 9112): what browsers never send is refused, so that
// nothing has to be guessed at.
#include "native/serve/http_request.h"

#include <algorithm>
#include <string>

#include "core/base/names.h"
#include "core/base/strings.h"

namespace tern::native {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// What may stand in the name of a field or method (RFC 9110, "token").
bool IsToken(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

// Printable ASCII without blanks: what browsers make of any address.
bool IsTarget(std::string_view text) {
  return text.starts_with('/') &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

HttpStatus ParseRequestLine(std::string_view line, HttpRequest* request) {
  const std::vector<std::string_view> words = StrSplit(line, ' ');
  if (words.size() != 3 || !IsToken(words[0])) return HttpStatus::kBadRequest;
  if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0")
    return words[2].starts_with("HTTP/") ? HttpStatus::kVersionNotSupported
                                         : HttpStatus::kBadRequest;
  if (words[0] != "GET" && words[0] != "HEAD") return HttpStatus::kMethodNotAllowed;
  if (!IsTarget(words[1])) return HttpStatus::kBadRequest;
  request->head_only = words[0] == "HEAD";
  request->keep_alive = words[2] == "HTTP/1.1";
  const std::string_view target = words[1].substr(0, words[1].find('#'));
  const size_t mark = std::min(target.find('?'), target.size());
  request->path = target.substr(0, mark);
  request->query = target.substr(std::min(mark + 1, target.size()));
  return HttpStatus::kOk;
}

// "gzip, deflate;q=0.5": whether gzip is among them and not refused by q=0.
bool AcceptsGzip(std::string_view value) {
  for (const std::string_view coding : StrSplit(value, ',')) {
    const std::vector<std::string_view> parts = StrSplit(coding, ';');
    if (Lower(StrTrim(parts[0])) != "gzip") continue;
    if (parts.size() == 1) return true;
    const std::string_view weight = StrTrim(parts[1]);
    return weight.starts_with("q=") && ParseDouble(weight.substr(2)).value_or(0) > 0;
  }
  return false;
}

// "127.0.0.1:8080" without the port.
std::string_view HostOf(std::string_view value) { return value.substr(0, value.find(':')); }

// Fields that change the answer; others are only looked at for their form.
HttpStatus TakeField(std::string_view name, std::string_view value, HttpRequest* request) {
  if (name == "host") {
    if (!request->host.empty() || value.empty()) return HttpStatus::kBadRequest;
    request->host = HostOf(value);
  } else if (name == "connection") {
    const std::string options = Lower(value);
    if (options.find("close") != std::string::npos) request->keep_alive = false;
  } else if (name == "accept-encoding") {
    request->accepts_gzip = AcceptsGzip(value);
  } else if (name == "sec-fetch-site") {
    request->same_origin = value == "same-origin";
  } else if (name == "transfer-encoding" || (name == "content-length" && value != "0")) {
    // Nothing that is asked for here has a body, and what follows it could not be told from it.
    return HttpStatus::kContentTooLarge;
  }
  return HttpStatus::kOk;
}

HttpStatus ParseField(std::string_view line, HttpRequest* request) {
  const size_t colon = line.find(':');
  // A line that begins with a blank continues the one before, in a form that is given up.
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon)))
    return HttpStatus::kBadRequest;
  const std::string_view value = StrTrim(line.substr(colon + 1));
  const bool is_text = std::all_of(value.begin(), value.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f);
  });
  if (!is_text) return HttpStatus::kBadRequest;
  return TakeField(Lower(line.substr(0, colon)), value, request);
}

}  // namespace

const char* ReasonOf(HttpStatus status) {
  switch (status) {
    case HttpStatus::kOk: return "OK";
    case HttpStatus::kBadRequest: return "Bad Request";
    case HttpStatus::kForbidden: return "Forbidden";
    case HttpStatus::kNotFound: return "Not Found";
    case HttpStatus::kMethodNotAllowed: return "Method Not Allowed";
    case HttpStatus::kTimeout: return "Request Timeout";
    case HttpStatus::kContentTooLarge: return "Content Too Large";
    case HttpStatus::kHeadTooLarge: return "Request Header Fields Too Large";
    case HttpStatus::kVersionNotSupported: return "HTTP Version Not Supported";
  }
  return "";
}

std::optional<std::string> QueryValue(std::string_view query, std::string_view name) {
  for (const std::string_view pair : StrSplit(query, '&')) {
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    std::string value;
    for (size_t i = equals + 1; i < pair.size(); ++i) {
      if (pair[i] != '%') {
        value.push_back(pair[i]);
        continue;
      }
      if (pair.size() - i < 3) return std::nullopt;
      const int high = HexDigitValue(pair[i + 1]), low = HexDigitValue(pair[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      value.push_back(static_cast<char>(16 * high + low));
      i += 2;
    }
    return value;
  }
  return std::nullopt;
}

size_t EndOfHead(std::string_view bytes) {
  const size_t at = bytes.find("\r\n\r\n");
  return at == std::string_view::npos ? at : at + 4;
}

HttpStatus ParseRequest(std::string_view head, HttpRequest* request) {
  *request = {};
  size_t at = 0;
  for (bool is_first = true; at < head.size(); is_first = false) {
    const size_t end = head.find(kLineEnd, at);
    if (end == std::string_view::npos) return HttpStatus::kBadRequest;
    const std::string_view line = head.substr(at, end - at);
    at = end + kLineEnd.size();
    if (line.empty() && !is_first) break;
    const HttpStatus status =
        is_first ? ParseRequestLine(line, request) : ParseField(line, request);
    if (status != HttpStatus::kOk) return status;
  }
  return request->host.empty() ? HttpStatus::kBadRequest : HttpStatus::kOk;
}

}  // namespace tern::native
