// SPDX-License-Identifier: Apache-2.0
// Calls, errors across a call, objects made and destroyed, references copied: first while the
// process has one thread, where counts need no atomic instructions (std::shared_ptr does the same),
// then as in one that has had more. WebAssembly without threads has the first only.
#include <memory>
#include <string>
#include <thread>

#include "core/object/shape.h"
#include "tools/bench/objects/benches.h"

namespace tern::bench {
namespace {

struct Pair : Object {
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_SHAPE;  // any of them; it is never asked
  Pair() : Object(kTypeCode, nullptr) {}
  int64_t a = 1, b = 2;
};
struct PlainPair {
  int64_t a = 1, b = 2;
};

void RunFunctionPointer(int64_t n) {
  AddPointer add = GetAdd();
  Keep(add);
  int64_t sum = 0;
  for (; n > 0; --n) sum += add(n, 1);
  Keep(sum);
}

void Calls(Bench* bench) {
  const FunctionPtr add = MakeAdd();
  bench->Compare(
      {.name = "typed packed call, C++ to C++", .rival_name = "function pointer", .target = 2},
      [&](int64_t n) {
        int64_t sum = 0;
        for (; n > 0; --n) sum += *add->CallAs<int64_t>(n, 1);
        Keep(sum);
      },
      RunFunctionPointer);
  bench->Compare(
      {.name = "packed call through the C ABI", .rival_name = "function pointer", .target = 3},
      [&](int64_t n) {
        auto* c = reinterpret_cast<TernFunction*>(add.get());
        Keep(c);
        int64_t sum = 0;
        for (; n > 0; --n) {
          TernAny args[2] = {};
          args[0].type_code = args[1].type_code = TERN_TYPE_INT;
          args[0].v.i = n;
          args[1].v.i = 1;
          TernAny result = {};
          if (c->call.pointer(c, args, 2, &result) != 0) break;
          sum += result.v.i;
        }
        Keep(sum);
      },
      RunFunctionPointer);
}

void Errors(Bench* bench) {
  const FunctionPtr failing = MakeFailing();
  bench->Compare({.name = "raise an error and catch it across the call", .target = 100},
                 [&](int64_t n) {
                   int64_t failures = 0;
                   for (; n > 0; --n) {
                     const Result<Any> result = failing->Invoke({n});
                     failures += result.status().code() == StatusCode::kOutOfRange ? 1 : 0;
                   }
                   Keep(failures);
                 });
}

// where: "" or what is said behind the names of the rows.
void Objects(Bench* bench, const std::string& where) {
  bench->Compare(
      {.name = "make an object, destroy it" + where, .rival_name = "make_shared", .target = 8},
      [](int64_t n) {
        for (; n > 0; --n) {
          ObjectPtr<Pair> made = MakeObject<Pair>();
          Pair* pair = made.get();
          Keep(pair);
        }
      },
      [](int64_t n) {
        for (; n > 0; --n) {
          auto made = std::make_shared<PlainPair>();
          PlainPair* pair = made.get();
          Keep(pair);
        }
      });
  const Any held(MakeObject<Pair>());
  const auto shared = std::make_shared<PlainPair>();
  bench->Compare(
      {.name = "copy an Any that holds an object, drop it" + where,
       .rival_name = "shared_ptr",
       .target = 10},
      [&](int64_t n) {
        for (; n > 0; --n) {
          const Any copy(held);
          Object* object = copy.object();
          Keep(object);
        }
      },
      [&](int64_t n) {
        for (; n > 0; --n) {
          const std::shared_ptr<PlainPair> copy(shared);
          PlainPair* pair = copy.get();
          Keep(pair);
        }
      });
}

void Copies(Bench* bench) {
  const Any held(MakeObject<Pair>());
  bench->Compare({.name = "copy an AnyView that holds an object"}, [&](int64_t n) {
    for (; n > 0; --n) {
      AnyView copy(held);
      Keep(copy);
    }
  });
  bench->Compare({.name = "copy an Any that holds an int"}, [&](int64_t n) {
    Any number(5);
    for (; n > 0; --n) {
      Any copy(number);
      Keep(copy);
    }
  });
}

}  // namespace

void CallRows(Bench* bench) {
  Calls(bench);
  Errors(bench);
  Objects(bench, "");
  Copies(bench);
}

void ThreadRows([[maybe_unused]] Bench* bench) {
#ifndef TERN_SINGLE_THREADED
  std::thread([] {}).join();  // from now on the process counts as one with threads
  Objects(bench, ", with threads");
#endif
}

}  // namespace tern::bench
