// SPDX-License-Identifier: Apache-2.0
// Lists and maps beside std::vector and std::unordered_map; and what an element costs in bytes.
#include <string>
#include <unordered_map>
#include <vector>

#include "core/object/containers/list.h"
#include "core/object/containers/map.h"
#include "tools/bench/objects/benches.h"

namespace tern::bench {
namespace {

constexpr int kCount = 1000;  // fits the caches, so that the containers are measured

void PushRows(Bench* bench) {
  const auto rival = [](int64_t n) {
    for (; n > 0; --n) {
      std::vector<int64_t> vector;
      for (int64_t i = 0; i < kCount; ++i) vector.push_back(i);
      Keep(vector.data()[kCount - 1]);
    }
  };
  const Case typed = {.name = "push_back of ints",
                      .rival_name = "std::vector<int64_t>",
                      .target = 1.5,
                      .items_per_iteration = kCount};
  bench->Compare(
      typed,
      [](int64_t n) {
        for (; n > 0; --n) {
          List<int64_t> list;
          for (int64_t i = 0; i < kCount; ++i) list.PushBack(i);
          int64_t last = list[kCount - 1];
          Keep(last);
        }
      },
      rival);
  Case untyped = typed;
  untyped.name = "push_back of ints, untyped";
  bench->Compare(
      untyped,
      [](int64_t n) {
        for (; n > 0; --n) {
          List<> list;
          for (int64_t i = 0; i < kCount; ++i) list.PushBack(i);
          size_t size = list.size();
          Keep(size);
        }
      },
      rival);
}

void IterateRows(Bench* bench) {
  List<int64_t> list;
  std::vector<int64_t> vector;
  for (int64_t i = 0; i < kCount; ++i) {
    list.PushBack(i * i);
    vector.push_back(i * i);
  }
  const auto rival = [&vector](int64_t n) {
    for (; n > 0; --n) {
      int64_t sum = 0;
      for (const int64_t x : vector) sum += x;
      Keep(sum);
    }
  };
  const Case typed = {.name = "iterate over ints",
                      .rival_name = "std::vector<int64_t>",
                      .target = 0.5,
                      .items_per_iteration = kCount};
  bench->Compare(
      typed,
      [&list](int64_t n) {
        for (; n > 0; --n) {
          int64_t sum = 0;
          for (const int64_t x : list) sum += x;
          Keep(sum);
        }
      },
      rival);
  Case untyped = typed;
  untyped.name = "iterate over ints, untyped";
  bench->Compare(
      untyped,
      [list = List<>(list.object())](int64_t n) {
        for (; n > 0; --n) {
          int64_t sum = 0;
          for (const AnyView x : list) sum += x.c_any().v.i;
          Keep(sum);
        }
      },
      rival);
}

std::vector<std::string> MakeKeys(size_t length) {
  std::vector<std::string> keys;
  for (int i = 0; i < kCount; ++i) {
    std::string digits = std::to_string(i * 7919 % 1'000'000);
    keys.push_back(std::string(length - digits.size(), 'k') + digits);
  }
  return keys;
}

std::string KeysOf(size_t length) { return ", " + std::to_string(length) + "-byte keys"; }

// Keys are of the type that each side keeps: String and std::string.
void InsertRow(Bench* bench, size_t length, double target) {
  const std::vector<std::string> texts = MakeKeys(length);
  std::vector<String> keys;
  for (const std::string& text : texts) keys.emplace_back(text);
  bench->Compare(
      {.name = "map insert" + KeysOf(length),
       .rival_name = "std::unordered_map",
       .target = target,
       .items_per_iteration = kCount},
      [&keys](int64_t n) {
        for (; n > 0; --n) {
          Map<String, int64_t> map;
          for (int64_t i = 0; i < kCount; ++i) map.Set(keys[static_cast<size_t>(i)], i);
          size_t size = map.size();
          Keep(size);
        }
      },
      [&texts](int64_t n) {
        for (; n > 0; --n) {
          std::unordered_map<std::string, int64_t> map;
          for (int64_t i = 0; i < kCount; ++i) map.emplace(texts[static_cast<size_t>(i)], i);
          size_t size = map.size();
          Keep(size);
        }
      });
}

void HitRows(Bench* bench, size_t length, double target) {
  const std::vector<std::string> texts = MakeKeys(length);
  std::vector<String> keys;
  for (const std::string& text : texts) keys.emplace_back(text);
  Map<String, int64_t> map;
  std::unordered_map<std::string, int64_t> rival;
  for (int64_t i = 0; i < kCount; ++i) {
    map.Set(keys[static_cast<size_t>(i)], i);
    rival.emplace(texts[static_cast<size_t>(i)], i);
  }
  const auto find_in_rival = [&](int64_t n) {
    for (; n > 0; --n) {
      int64_t sum = 0;
      for (const std::string& key : texts) sum += rival.find(key)->second;
      Keep(sum);
    }
  };
  bench->Compare(
      {.name = "map hit" + KeysOf(length),
       .rival_name = "std::unordered_map",
       .target = target,
       .items_per_iteration = kCount},
      [&](int64_t n) {
        for (; n > 0; --n) {
          int64_t sum = 0;
          for (const String& key : keys) sum += map[key];
          Keep(sum);
        }
      },
      find_in_rival);
  bench->Compare(
      {.name = "map hit by text" + KeysOf(length),
       .rival_name = "std::unordered_map",
       .items_per_iteration = kCount},
      [&](int64_t n) {
        for (; n > 0; --n) {
          int64_t sum = 0;
          for (const std::string& key : texts) sum += map[key];
          Keep(sum);
        }
      },
      find_in_rival);
}

void ByteRows(Bench* bench) {
  const auto bytes = [](const List<>& list) {
    list.object()->ShrinkToFit();
    return static_cast<double>(list.object()->memory_bytes()) / static_cast<double>(list.size());
  };
  List<> ints, texts, floats;
  for (int i = 0; i < kCount; ++i) {
    ints.PushBack(i);
    texts.PushBack("0123456789");
    floats.PushBack(i * 0.1);
  }
  bench->Figure({.name = "list of ints", .target = 8, .unit = "bytes per element"}, bytes(ints));
  bench->Figure({.name = "list of 10-byte texts", .target = 33, .unit = "bytes per element"},
                bytes(texts), 32);
  bench->Figure({.name = "list of floats", .target = 33, .unit = "bytes per element"},
                bytes(floats), 8);
}

}  // namespace

void ContainerRows(Bench* bench) {
  PushRows(bench);
  IterateRows(bench);
  InsertRow(bench, 7, 50);
  HitRows(bench, 7, 15);
  InsertRow(bench, 19, 70);
  HitRows(bench, 19, 20);
  ByteRows(bench);
}

}  // namespace tern::bench
