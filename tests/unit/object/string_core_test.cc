// SPDX-License-Identifier: Apache-2.0
// StringCore: every method by itself, and long random lives of several cores beside
// std::basic_string.
#include "core/object/strings/string_core.h"

#include <string>
#include <vector>

#include "tests/support/rounds.h"
#include "tests/unit/object/counting.h"

namespace tern {
namespace {

// Opens what a core is made of.
template <typename Char>
class OpenCore : public StringCore<Char> {
 public:
  using Base = StringCore<Char>;
  using Base::Base;
  using Base::CopyLarge;
  using Base::CopyMedium;
  using Base::CopySmall;
  using Base::InitLarge;
  using Base::InitMedium;
  using Base::InitSmall;
  using Base::MutableDataLarge;
  using Base::ReserveLarge;
  using Base::ReserveMedium;
  using Base::ReserveSmall;
  using Base::ShrinkLarge;
  using Base::ShrinkMedium;
  using Base::ShrinkSmall;
};

template <typename Char>
std::basic_string<Char> Letters(size_t size) {
  std::basic_string<Char> text;
  for (size_t i = 0; i < size; ++i) text += static_cast<Char>('a' + i % 26);
  return text;
}

template <typename Char>
class StringCoreTest : public CountedTest {
 public:
  using Core = OpenCore<Char>;
  using Text = std::basic_string<Char>;
  static constexpr size_t kSmall = Core::kSmallCapacity, kMedium = Core::kMediumCapacity;

  static Core Make(size_t size) {
    const Text text = Letters<Char>(size);
    return Core(text.data(), text.size());
  }
  static void ExpectText(const StringCore<Char>& core, const Text& text) {
    ASSERT_EQ(core.size(), text.size());
    ASSERT_TRUE(core.view() == text);
    ASSERT_EQ(core.c_str()[text.size()], Char());
    ASSERT_GE(core.capacity(), core.size());
    const auto category = core.category();
    ASSERT_TRUE(category != Core::kSmall || core.size() <= kSmall);
  }
};
using Units = testing::Types<char, char32_t>;
TYPED_TEST_SUITE(StringCoreTest, Units);

TYPED_TEST(StringCoreTest, D10CategoriesByLength) {
  using Core = OpenCore<TypeParam>;
  for (const size_t size : {size_t{0}, size_t{1}, this->kSmall - 1, this->kSmall, this->kSmall + 1,
                            this->kMedium - 1, this->kMedium, this->kMedium + 1, size_t{5000}}) {
    const Core core = this->Make(size);
    this->ExpectText(core, Letters<TypeParam>(size));
    EXPECT_EQ(core.category(), size <= this->kSmall    ? Core::kSmall
                               : size <= this->kMedium ? Core::kMedium
                                                       : Core::kLarge);
    EXPECT_EQ(this->live(), size <= this->kSmall ? 0 : 1);
    EXPECT_EQ(core.buffer() == nullptr, size <= this->kSmall);
  }
}

TYPED_TEST(StringCoreTest, D10InitInEveryCategory) {
  using Core = OpenCore<TypeParam>;
  const auto text = Letters<TypeParam>(this->kSmall);
  for (const auto category : {Core::kSmall, Core::kMedium, Core::kLarge}) {
    const Core core(text.data(), text.size(), category);
    EXPECT_EQ(core.category(), category);
    this->ExpectText(core, text);
    EXPECT_TRUE(core == Core(text.data(), text.size())) << "equal whatever the category";
  }
  Core core;
  core.InitSmall(text.data(), 3);
  this->ExpectText(core, Letters<TypeParam>(3));
  core.InitMedium(text.data(), 2);
  this->ExpectText(core, Letters<TypeParam>(2));
  core.Reset();
  core.InitLarge(text.data(), 1);
  this->ExpectText(core, Letters<TypeParam>(1));
}

TYPED_TEST(StringCoreTest, D10CopySmallMediumLarge) {
  using Core = OpenCore<TypeParam>;
  const Core small = this->Make(3), medium = this->Make(this->kSmall + 1);
  const Core large = this->Make(this->kMedium + 1);
  Core copy;
  copy.CopySmall(small);
  this->ExpectText(copy, Letters<TypeParam>(3));
  copy.CopyMedium(medium);
  this->ExpectText(copy, Letters<TypeParam>(this->kSmall + 1));
  EXPECT_NE(copy.data(), medium.data()) << "a medium text is copied";
  EXPECT_FALSE(medium.is_shared());
  copy.Reset();
  copy.CopyLarge(large);
  EXPECT_EQ(copy.data(), large.data()) << "a large text is shared";
  EXPECT_TRUE(copy.is_shared() && large.is_shared());
  copy.Reset();
  EXPECT_FALSE(large.is_shared());
  const Core assigned = large;
  EXPECT_EQ(assigned.data(), large.data());
}

TYPED_TEST(StringCoreTest, D10MovesLeaveAnEmptyCore) {
  for (const size_t size : {size_t{2}, this->kSmall + 1, this->kMedium + 1}) {
    auto from = this->Make(size);
    const auto* data = from.data();
    auto to = std::move(from);
    this->ExpectText(to, Letters<TypeParam>(size));
    this->ExpectText(from, {});
    EXPECT_EQ(to.data() == data, size > this->kSmall);
    auto& alias = to;
    to = std::move(alias);
    this->ExpectText(to, Letters<TypeParam>(size));
    to = alias;
    this->ExpectText(to, Letters<TypeParam>(size));
  }
}

TYPED_TEST(StringCoreTest, D10ReserveSmallMediumLarge) {
  using Core = OpenCore<TypeParam>;
  Core core = this->Make(2);
  core.ReserveSmall(this->kSmall);
  EXPECT_EQ(core.category(), Core::kSmall);
  core.ReserveSmall(this->kSmall + 5);
  EXPECT_EQ(core.category(), Core::kMedium);
  EXPECT_GE(core.capacity(), this->kSmall + 5);
  const auto* data = core.data();
  core.ReserveMedium(core.capacity());
  EXPECT_EQ(core.data(), data) << "no move where there is room";
  core.ReserveMedium(this->kMedium + 9);
  EXPECT_EQ(core.category(), Core::kLarge);
  EXPECT_GE(core.capacity(), this->kMedium + 9);
  const Core sharer = core;
  core.ReserveLarge(0);
  EXPECT_FALSE(core.is_shared()) << "room is room to write";
  core.Reserve(10000);
  EXPECT_GE(core.capacity(), 10000u);
  this->ExpectText(core, Letters<TypeParam>(2));
  this->ExpectText(sharer, Letters<TypeParam>(2));
}

TYPED_TEST(StringCoreTest, D10ShrinkSmallMediumLarge) {
  using Core = OpenCore<TypeParam>;
  Core small = this->Make(this->kSmall);
  small.ShrinkSmall(1);
  this->ExpectText(small, Letters<TypeParam>(this->kSmall - 1));
  EXPECT_TRUE(small == this->Make(this->kSmall - 1)) << "the bytes behind are zero again";
  Core medium = this->Make(this->kSmall + 4);
  medium.ShrinkMedium(this->kSmall + 3);
  this->ExpectText(medium, Letters<TypeParam>(1));
  EXPECT_EQ(medium.category(), Core::kMedium) << "the buffer is kept";
  Core large = this->Make(this->kMedium + 4);
  const Core sharer = large;
  large.ShrinkLarge(0);
  EXPECT_TRUE(large.is_shared());
  large.ShrinkLarge(4);
  this->ExpectText(large, Letters<TypeParam>(this->kMedium));
  this->ExpectText(sharer, Letters<TypeParam>(this->kMedium + 4));
  large.Shrink(this->kMedium);
  this->ExpectText(large, {});
}

TYPED_TEST(StringCoreTest, D10ExpandNoInitGrowsByHalf) {
  auto core = this->Make(this->kMedium + 1);
  while (core.size() < core.capacity()) core.PushBack('x');
  const size_t size = core.size();
  TypeParam* tail = core.ExpandNoInit(1, /*exponential_growth=*/true);
  *tail = 'z';
  EXPECT_EQ(core.size(), size + 1);
  EXPECT_GE(core.capacity(), size + size / 2);
  auto tight = this->Make(this->kMedium + 1);
  *tight.ExpandNoInit(100) = 'y';
  EXPECT_LE(tight.capacity(), this->kMedium + 101 + 16);
  auto small = this->Make(0);
  for (size_t i = 0; i < this->kSmall; ++i) *small.ExpandNoInit(1) = 'x';
  EXPECT_EQ(small.capacity(), this->kSmall) << "still in place";
}

TYPED_TEST(StringCoreTest, D10PushBackCrossesTheCategories) {
  using Core = OpenCore<TypeParam>;
  Core core;
  for (size_t i = 0; i < this->kMedium + 50; ++i) {
    core.PushBack(static_cast<TypeParam>('a' + i % 26));
    this->ExpectText(core, Letters<TypeParam>(i + 1));
  }
  EXPECT_EQ(core.category(), Core::kLarge);
}

TYPED_TEST(StringCoreTest, D10UnshareAndMutableData) {
  using Core = OpenCore<TypeParam>;
  Core a = this->Make(this->kMedium + 1);
  Core b = a;
  EXPECT_TRUE(a.is_shared());
  b.Unshare(this->kMedium + 30);
  EXPECT_FALSE(a.is_shared() || b.is_shared());
  EXPECT_GE(b.capacity(), this->kMedium + 30);
  Core c = a;
  c.MutableDataLarge()[0] = 'X';
  EXPECT_EQ(a.data()[0], TypeParam('a'));
  EXPECT_EQ(c.data()[0], TypeParam('X'));
  Core medium = this->Make(this->kSmall + 1);
  medium.MutableData()[1] = 'Y';
  EXPECT_EQ(medium.data()[1], TypeParam('Y'));
  Core small = this->Make(2);
  small.MutableData()[1] = 'Z';
  EXPECT_EQ(small.data()[1], TypeParam('Z'));
  const TypeParam* data = a.data();
  EXPECT_EQ(a.MutableData(), data) << "an unshared text is written in place";
}

TYPED_TEST(StringCoreTest, D09BuffersAreObjectsBothWays) {
  using Core = OpenCore<TypeParam>;
  for (const size_t size : {this->kSmall + 1, this->kMedium + 1}) {
    Core core = this->Make(size);
    const TypeParam* data = core.data();
    auto object = core.TakeBuffer();
    EXPECT_EQ(object->text(), data) << "not copied";
    EXPECT_EQ(object->type_code(), LongText<TypeParam>::kTypeCode);
    this->ExpectText(core, {});
    Core back{ObjectPtr<LongText<TypeParam>>(object)};
    EXPECT_EQ(back.data(), data);
    EXPECT_TRUE(back.is_shared());
    back.PushBack('!');  // the object must not notice
    EXPECT_EQ(object->size(), size);
    EXPECT_EQ(back.size(), size + 1);
    Core alone{std::move(object)};
    EXPECT_FALSE(alone.is_shared());
    EXPECT_EQ(alone.capacity(), size);
    alone.MutableData()[0] = 'q';
    EXPECT_EQ(alone.data(), data) << "written in place";
  }
  Core small = this->Make(3);
  EXPECT_EQ(small.TakeBuffer()->view().size(), 3u);
}

TYPED_TEST(StringCoreTest, D10AMediumBufferThatAValueSharesIsNotWritten) {
  auto core = this->Make(this->kSmall + 2);
  const auto expected = Letters<TypeParam>(this->kSmall + 2);
  const ObjectPtr<LongText<TypeParam>> value(core.buffer());
  core.MutableData()[0] = 'X';
  EXPECT_TRUE(value->view() == expected);
  const ObjectPtr<LongText<TypeParam>> second(core.buffer());
  core.Shrink(3);
  EXPECT_EQ(second->size(), expected.size());
  auto third = this->Make(this->kSmall + 2);
  const ObjectPtr<LongText<TypeParam>> kept(third.buffer());
  third.PushBack('Z');
  EXPECT_TRUE(kept->view() == expected);
}

TYPED_TEST(StringCoreTest, D10RefusesWhatCannotBe) {
  EXPECT_DEATH_IF_SUPPORTED(this->Make(3).Shrink(4), "shrunk by more");
  const auto text = Letters<TypeParam>(this->kMedium + 1);
  using Core = OpenCore<TypeParam>;
  EXPECT_DEATH_IF_SUPPORTED(Core(text.data(), text.size(), Core::kSmall), "too small");
  EXPECT_DEATH_IF_SUPPORTED(Core(text.data(), text.size(), Core::kMedium), "too small");
  EXPECT_DEATH_IF_SUPPORTED(Core().Reserve(Core::kMaxSize + 1), "longer than can be");
  EXPECT_DEATH_IF_SUPPORTED(Core(text.data(), 1).ExpandNoInit(SIZE_MAX), "longer than can be");
}

// xorshift64*, so that every platform draws the same.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  size_t Below(size_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<size_t>((state_ * 0x2545F4914F6CDD1Du) >> 33) % limit;
  }

 private:
  uint64_t state_;
};

// Eight strings and their models, changed, copied, moved and turned into objects at random.
template <typename Char>
class Model {
 public:
  using Text = std::basic_string<Char>;
  static constexpr size_t kStrings = 8;

  void Step() {
    const size_t i = random_.Below(kStrings), j = random_.Below(kStrings);
    StringCore<Char>& core = cores_[i];
    Text& text = texts_[i];
    switch (random_.Below(14)) {
      case 0: Assign(i, Draw()); break;
      case 1: cores_[i] = cores_[j], texts_[i] = texts_[j]; break;
      case 2: MoveTo(i, j); break;
      case 3:
      case 4: Append(i, Draw()); break;
      case 5: core.PushBack('p'), text.push_back('p'); break;
      case 6: Shrink(i, random_.Below(text.size() + 1)); break;
      case 7: core.Reserve(random_.Below(600)); break;
      case 8: Poke(i); break;
      case 9: core.Unshare(random_.Below(300)); break;
      case 10: core.Reset(), text.clear(); break;
      case 11: Keep(i, j); break;
      case 12: core = StringCore<Char>(kept_), text = kept_text_; break;
      case 13: EXPECT_EQ(core == cores_[j], text == texts_[j]); break;
    }
  }
  bool Agrees() const {
    for (size_t i = 0; i < kStrings; ++i) {
      if (cores_[i].view() != texts_[i] || cores_[i].c_str()[texts_[i].size()] != Char())
        return false;
    }
    return kept_->view() == kept_text_;
  }

 private:
  Text Draw() {
    static constexpr size_t kSizes[] = {1, 5, 8, 20, 70, 300, 700};
    Text text(random_.Below(kSizes[random_.Below(std::size(kSizes))]), Char());
    for (Char& c : text) c = static_cast<Char>(random_.Below(3) == 0 ? 0 : 'a' + random_.Below(26));
    return text;
  }
  void Assign(size_t i, const Text& text) {
    cores_[i] = StringCore<Char>(text.data(), text.size());
    texts_[i] = text;
  }
  void MoveTo(size_t i, size_t j) {
    if (i == j) return;
    cores_[i] = std::move(cores_[j]);
    texts_[i] = std::move(texts_[j]);
    texts_[j].clear();
  }
  void Append(size_t i, const Text& text) {
    if (texts_[i].size() > 4000) return;
    text.copy(cores_[i].ExpandNoInit(text.size(), random_.Below(2) == 0), text.size());
    texts_[i] += text;
  }
  void Shrink(size_t i, size_t delta) {
    cores_[i].Shrink(delta);
    texts_[i].resize(texts_[i].size() - delta);
  }
  void Poke(size_t i) {
    if (texts_[i].empty()) return;
    const size_t at = random_.Below(texts_[i].size());
    cores_[i].MutableData()[at] = texts_[i][at] = 'X';
  }
  // An object that shares, or takes, the text of a string.
  void Keep(size_t i, size_t j) {
    kept_text_ = texts_[i];
    StringCore<Char> copy = cores_[i];
    kept_ = copy.TakeBuffer();
    if (cores_[j].buffer() == nullptr) return;
    kept_ = ObjectPtr<LongText<Char>>(cores_[j].buffer());
    kept_text_ = texts_[j];
  }

  Random random_{20261120};
  StringCore<Char> cores_[kStrings];
  Text texts_[kStrings];
  ObjectPtr<LongText<Char>> kept_ = LongText<Char>::Make({});
  Text kept_text_;
};

TYPED_TEST(StringCoreTest, D10AgreesWithTheModelOverRandomOperations) {
  Model<TypeParam> model;
  for (int step = 0; step < support::Rounds(120000); ++step) {
    model.Step();
    if (step % 8 == 0) {
      ASSERT_TRUE(model.Agrees()) << "step " << step;
    }
  }
  EXPECT_TRUE(model.Agrees());
}

}  // namespace
}  // namespace tern
