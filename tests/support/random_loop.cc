// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_loop.h"

#include "core/base/strings.h"
#include "tests/support/choices.h"

namespace tern::support {
namespace {

// Integers, so that every order of a sum gives the same.
class Generator : public Choices {
 public:
  using Choices::Choices;

  std::string Program() {
    type_ = Pick({"int32", "int8", "uint16", "int64"});
    const std::string kind = Pick({"vectorize_scalable", "vectorized", "vectorized(8)"});
    std::string body;
    const int statements = 1 + static_cast<int>(Byte() % 4);
    for (int i = 0; i < statements; ++i) StrAppend(&body, "    ", Statement(2), "\n");
    return StrCat("primfn random<n>(A: in ", type_, "[3 * n + 8], B: in ", type_,
                  "[n], I: in int32[n], ", "C: inout ", type_, "[3 * n + 8], D: inout ", type_,
                  "[n], E: inout ", type_, "[8], s: ", type_, ") {\n  var x: ", type_,
                  " = s\n  for (i, 0, n) ", kind, " {\n", body, "  }\n  E[7] = x\n}\n");
  }

 private:
  std::string Statement(int depth) {
    switch (Byte() % 9) {
      case 0: return StrCat("C[", Index(), "] = ", Value(depth));
      case 1: return StrCat("D[i] = ", Value(depth));
      case 2: return StrCat("x = x ", Pick({"+", "&", "|", "-"}), " ", Value(depth));
      case 3: return StrCat("x = ", Pick({"max", "min"}), "(x, ", Value(depth), ")");
      case 4: return StrCat("E[I[i]] = ", Value(depth));
      case 5: return StrCat("E[2] = E[2] + ", Value(depth));
      case 6: {
        const std::string name = StrCat("t", next_++);
        const std::string value = Value(depth);
        return StrCat("let ", name, ": ", type_, " = ", value, " D[i] = ", name, " * ", name);
      }
      case 7:
        if (depth > 0)
          return StrCat("if (", Value(depth - 1), " > ", Value(depth - 1), ") { ",
                        Statement(depth - 1), " } else { ", Statement(depth - 1), " }");
        [[fallthrough]];
      default: {
        if (depth <= 0) return StrCat("D[i] = ", Value(0));
        const std::string name = StrCat("k", next_++);
        return StrCat("for (", name, ", 0, 3) { ", Statement(depth - 1), " }");
      }
    }
  }

  std::string Index() { return Pick({"i", "i + 1", "2 * i", "3 * i + 2", "n - i", "i + n"}); }

  std::string Value(int depth) {
    if (depth <= 0) {
      switch (Byte() % 6) {
        case 0: return "s";
        case 1: return "B[i]";
        case 2: return StrCat("A[", Index(), "]");
        case 3: return "D[i]";
        case 4: return StrCat("A[I[i]]");
        default: return StrCat(type_, "(", int{Byte()} % 9, ")");
      }
    }
    const std::string a = Value(depth - 1), b = Value(depth - 1);
    switch (Byte() % 5) {
      case 0: return StrCat("(", a, " ", Pick({"+", "-", "*", "/", "%"}), " ", b, ")");
      case 1: return StrCat("(", a, " ", Pick({"&", "|", "^", "<<", ">>"}), " ", b, ")");
      case 2: return StrCat(Pick({"min", "max"}), "(", a, ", ", b, ")");
      case 3: return StrCat("select(", a, Pick({" < ", " == "}), b, ", ", b, ", ", a, ")");
      default: return StrCat("mad(", a, ", ", b, ", s)");
    }
  }

  std::string type_;
  int next_ = 0;
};

}  // namespace

std::string RandomLoopProgram(std::span<const uint8_t> choices) {
  return Generator(choices).Program();
}

}  // namespace tern::support
