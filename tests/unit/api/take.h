// SPDX-License-Identifier: Apache-2.0
// Texts of what the C interface gives, which end with it.
#ifndef TERN_TESTS_UNIT_API_TAKE_H_
#define TERN_TESTS_UNIT_API_TAKE_H_

#include <string>
#include <string_view>

#include "core/api/c_api.h"

namespace api_test {

inline std::string Take(tern_buffer* buffer) {
  std::string text(static_cast<const char*>(tern_buffer_data(buffer)), tern_buffer_size(buffer));
  tern_buffer_free(buffer);
  return text;
}

// "CODE: message"; empty for success.
inline std::string Take(tern_status* status) {
  if (status == nullptr) return "";
  std::string text = std::string(tern_status_code(status)) + ": " + tern_status_message(status);
  tern_status_free(status);
  return text;
}

inline bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace api_test

#endif  // TERN_TESTS_UNIT_API_TAKE_H_
