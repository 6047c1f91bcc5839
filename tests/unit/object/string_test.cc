// SPDX-License-Identifier: Apache-2.0
// String, UCS4String and Bytes: their methods, and their ways through an Any.
#include "core/object/strings/string.h"

#include <unordered_set>

#include "core/base/utf8.h"
#include "core/object/containers/map.h"
#include "core/object/strings/bytes.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/strings/unicode.h"
#include "tests/unit/object/counting.h"

namespace tern::string_test {
namespace {

using StringTest = CountedTest;

UCS4String U(std::string_view utf8) { return UCS4String::FromUtf8(utf8).value(); }

std::string Joined(const std::vector<String>& parts) {
  std::string out;
  for (const String& part : parts) StrAppend(&out, "<", part.view(), ">");
  return out;
}
std::string Joined(const std::vector<UCS4String>& parts) {
  std::string out;
  for (const UCS4String& part : parts) StrAppend(&out, "<", part.ToUtf8().value().view(), ">");
  return out;
}

TEST_F(StringTest, D08InPlaceAroundTheBorder) {
  for (size_t length = 0; length <= 20; ++length) {
    const std::string text(length, 'a');
    const String string(text);
    EXPECT_EQ(string.view(), text);
    EXPECT_EQ(string.is_inline(), length <= 16) << length;
    EXPECT_EQ(live(), length <= 16 ? 0 : 1) << "the value itself takes up to 16 bytes";
    EXPECT_EQ(string.c_str()[length], '\0');
    const int64_t before = live();
    const Any any(string);
    EXPECT_EQ(any.type_code(), length <= 7 ? TERN_TYPE_SMALL_STRING : TERN_TYPE_STRING) << length;
    EXPECT_EQ(live() - before, length <= 7 ? 0 : 1) << "an Any up to 7";
    EXPECT_EQ(any.TryCast<std::string_view>(), text);
    EXPECT_EQ(any.TryCast<String>(), string);
  }
}

TEST_F(StringTest, D08EmbeddedZerosAreKept) {
  for (const size_t length : {3u, 7u, 8u, 16u, 17u, 300u}) {
    std::string text(length, 'x');
    text[1] = text[length - 1] = '\0';
    const String string(text);
    EXPECT_EQ(string.view(), text);
    EXPECT_EQ(AnyView(string).TryCast<std::string_view>(), text) << "borrowed";
    EXPECT_EQ(Any(AnyView(string)).TryCast<std::string_view>(), text) << "borrowed, then kept";
    EXPECT_EQ(Any(string).TryCast<std::string_view>(), text);
  }
}

TEST_F(StringTest, D09MovingLongTextIntoAnAnyAndBackCopiesNothing) {
  String string(std::string(300, 'b'));
  const char* data = string.data();
  Any any(std::move(string));
  EXPECT_EQ(any.TryCast<std::string_view>()->data(), data);
  EXPECT_EQ(live(), 1);
  String back = *any.TryCast<String>();
  EXPECT_EQ(back.data(), data);
  EXPECT_EQ(live(), 1);
  back.PushBack('!');
  EXPECT_EQ(any.TryCast<std::string_view>()->size(), 300u) << "what others see does not change";
  // Text that became short again takes the short form.
  String shrunk(std::string(300, 'c'));
  shrunk.Resize(3);
  EXPECT_EQ(Any(std::move(shrunk)).type_code(), TERN_TYPE_SMALL_STRING);
}

TEST_F(StringTest, D09AViewSharesTheBufferAndOutlivesTheString) {
  Any kept;
  {
    const String string("some twenty characters and more");
    const AnyView view(string);
    EXPECT_EQ(view.object()->ref_count(), 1) << "a view counts nothing";
    kept = Any(view);
    EXPECT_EQ(live(), 1);
  }
  EXPECT_EQ(kept.TryCast<std::string_view>(), "some twenty characters and more");
  const String ten("ten  bytes");
  EXPECT_EQ(AnyView(ten).TryCast<std::string_view>()->data(), ten.data());
}

TEST_F(StringTest, LongTextIsSharedByCopies) {
  const String a(std::string(300, 'a'));
  const String b = a;
  EXPECT_EQ(a.data(), b.data());
  EXPECT_EQ(live(), 1);
  String c = a;
  c += "!";
  EXPECT_EQ(a.size(), 300u);
  EXPECT_EQ(c.size(), 301u);
}

TEST_F(StringTest, ComparesAndHashes) {
  EXPECT_LT(String("abc"), String("abd"));
  EXPECT_LT(String("abc"), String("abcd"));
  EXPECT_GT(String("b"), String("a text that is longer"));
  EXPECT_EQ(String("abc").Compare("abc"), 0);
  EXPECT_LT(U("añ"), U("añb"));
  EXPECT_LT(U("\uFFFD"), U("😀")) << "by code point";
  String grown("abc");
  grown.Reserve(100);  // same text in another form
  EXPECT_EQ(grown, String("abc"));
  EXPECT_EQ(grown.hash(), String("abc").hash());
  EXPECT_NE(String("abc").hash(), String("abd").hash());
  std::unordered_set<String> set{String("a"), String("b"), String("a")};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(U("añ").hash(), (U("a") + U("ñ")).hash());
}

TEST_F(StringTest, FindsAndCounts) {
  const String text("abcabcabc");
  EXPECT_EQ(text.Find("bc"), 1u);
  EXPECT_EQ(text.Find("bc", 2), 4u);
  EXPECT_EQ(text.Find("x"), kNoPosition);
  EXPECT_EQ(text.Find("", 4), 4u);
  EXPECT_EQ(text.Find("a", 100), kNoPosition);
  EXPECT_EQ(text.Rfind("bc"), 7u);
  EXPECT_EQ(text.Rfind("bc", 6), 4u);
  EXPECT_EQ(text.Rfind("x"), kNoPosition);
  EXPECT_EQ(text.Count("abc"), 3u);
  EXPECT_EQ(String("aaaa").Count("aa"), 2u);
  EXPECT_EQ(String("añ").Count(""), 3u);
  EXPECT_TRUE(text.Contains("cab") && !text.Contains("cb"));
  EXPECT_TRUE(text.StartsWith("abc") && text.EndsWith("abc") && text.StartsWith(""));
  EXPECT_FALSE(text.StartsWith("b") || text.EndsWith("b") || String().StartsWith("a"));
  const UCS4String wide = U("你好你好");
  EXPECT_EQ(wide.Find(U"好"), 1u);
  EXPECT_EQ(wide.Rfind(U"你"), 2u);
  EXPECT_EQ(wide.Count(U"你好"), 2u);
  EXPECT_TRUE(wide.StartsWith(U"你") && wide.EndsWith(U"好") && !wide.Contains(U"x"));
}

TEST_F(StringTest, SlicesAsPythonDoes) {
  const String text("0123456789");
  EXPECT_EQ(text.Slice(2, 5), "234");
  EXPECT_EQ(text.Slice(-3), "789");
  EXPECT_EQ(text.Slice(-3, -1), "78");
  EXPECT_EQ(text.Slice(5, 2), "");
  EXPECT_EQ(text.Slice(-100, 100), text);
  EXPECT_EQ(text.Slice(100), "");
  EXPECT_EQ(String("añ你😀b").SliceCodePoints(1, 4), "ñ你😀");
  EXPECT_EQ(String("añ你😀b").SliceCodePoints(-2), "😀b");
  EXPECT_EQ(String("añ").SliceCodePoints(2), "");
  EXPECT_EQ(U("añ你😀b").Slice(1, -1), U("ñ你😀"));
}

TEST_F(StringTest, StripsSpaceAndSets) {
  EXPECT_EQ(String(" \t\n a b \r ").Strip(), "a b");
  EXPECT_EQ(String("  a ").StripLeft(), "a ");
  EXPECT_EQ(String("  a ").StripRight(), "  a");
  EXPECT_EQ(String("   ").Strip(), "");
  EXPECT_EQ(String().Strip(), "");
  EXPECT_EQ(String("\u3000\u00a0é\u2003").Strip(), "é") << "by code point";
  EXPECT_EQ(String("xyé-éx").Strip("éyx"), "-");
  EXPECT_EQ(String("aab").StripLeft("a"), "b");
  EXPECT_EQ(String("baa").StripRight("a"), "b");
  EXPECT_EQ(String("a").Strip(""), "a");
  EXPECT_EQ(String("\xff a \xff").Strip(), "\xff a \xff") << "bad bytes are no space";
  EXPECT_EQ(U("\u3000你\u3000").Strip(), U("你"));
  EXPECT_EQ(U("你a你").Strip(U"你"), U("a"));
}

TEST_F(StringTest, SplitsAndJoins) {
  EXPECT_EQ(Joined(String(" a  bc\td ").Split()), "<a><bc><d>");
  EXPECT_EQ(Joined(String("").Split()), "");
  EXPECT_EQ(Joined(String("a,,b,").Split(",")), "<a><><b><>");
  EXPECT_EQ(Joined(String("a,b,c").Split(",", 1)), "<a><b,c>");
  EXPECT_EQ(Joined(String("a,b").Split(",", 0)), "<a,b>");
  EXPECT_EQ(Joined(String("").Split(",")), "<>");
  EXPECT_EQ(Joined(String("añ你😀").Split("")), "<a><ñ><你><😀>");
  EXPECT_EQ(Joined(String("añ你").Split("", 1)), "<a><ñ你>");
  EXPECT_EQ(Joined(String("").Split("")), "");
  EXPECT_EQ(Joined(U("你 好\u3000a").Split()), "<你><好><a>");
  EXPECT_EQ(Joined(U("a你b").Split(U"你")), "<a><b>");
  const std::vector<String> parts = {"a", "", "c"};
  EXPECT_EQ(String(", ").Join(parts), "a, , c");
  EXPECT_EQ(String(", ").Join({}), "");
  const std::vector<UCS4String> wide = {U("你"), U("好")};
  EXPECT_EQ(U("-").Join(wide), U("你-好"));
}

TEST_F(StringTest, MapsCase) {
  EXPECT_EQ(String("Hello, World 1").Upper(), "HELLO, WORLD 1");
  EXPECT_EQ(String("Hello, World 1").Lower(), "hello, world 1");
  EXPECT_EQ(String("añ straße ωκδ жї ǆ ıſ").Upper(), "AÑ STRAßE ΩΚΔ ЖЇ Ǆ IS");
  EXPECT_EQ(String("AÑ ΩΚΔ ЖЇ Ⅷ Ａ 𐐀").Lower(), "añ ωκδ жї ⅷ ａ 𐐨");
  EXPECT_EQ(String("a\xff\xc3").Upper(), "A\xff\xc3") << "bad bytes stay as they are";
  EXPECT_EQ(U("añ你").Upper(), U("AÑ你"));
  EXPECT_EQ(U("AÑ你").Lower(), U("añ你"));
  EXPECT_EQ(ToUpperCase(0x10FFFF), char32_t{0x10FFFF});
  EXPECT_EQ(ToLowerCase(0), char32_t{0});
}

TEST_F(StringTest, Replaces) {
  EXPECT_EQ(String("abcabc").Replace("bc", "X"), "aXaX");
  EXPECT_EQ(String("abcabc").Replace("bc", "longer", 1), "alongerabc");
  EXPECT_EQ(String("abc").Replace("x", "y"), "abc");
  EXPECT_EQ(String("abc").Replace("abc", ""), "");
  EXPECT_EQ(String("aaa").Replace("aa", "b"), "ba");
  EXPECT_EQ(String("añ").Replace("", "-"), "-a-ñ-");
  EXPECT_EQ(String("añb").Replace("", "-", 2), "-a-ñb");
  EXPECT_EQ(String("").Replace("", "x"), "x");
  EXPECT_EQ(String("a").Replace("a", "b", 0), "a");
  EXPECT_EQ(U("你好").Replace(U"好", U"们"), U("你们"));
}

TEST_F(StringTest, Writes) {
  String text;
  text.Append("ab").PushBack('c');
  text += "d";
  EXPECT_EQ(text, "abcd");
  text.PopBack();
  text.Resize(6, '.');
  EXPECT_EQ(text, "abc...");
  text.mutable_data()[0] = 'A';
  EXPECT_EQ(text[0], 'A');
  for (int i = 0; i < 6; ++i) text.Append(text.view());  // a part of itself
  EXPECT_EQ(text.size(), 6u * 64);
  EXPECT_EQ(text.Count("Abc..."), 64u);
  text.Append(text.view().substr(1, 2));
  EXPECT_TRUE(text.EndsWith("bc"));
  text.Clear();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(String("a") + "b" + String("c"), "abc");
}

template <typename Text>
std::u32string CodePointsOf(const Text& text) {
  std::u32string seen;
  for (const char32_t c : text.code_points()) seen += c;
  return seen;
}

TEST_F(StringTest, IteratesByCodePoint) {
  EXPECT_EQ(CodePointsOf(String("añ你😀")), U"añ你😀");
  EXPECT_EQ(String("añ你😀").CountCodePoints(), 4u);
  EXPECT_EQ(CodePointsOf(String("a\xff"
                                "b")),
            U"a\uFFFDb");
  EXPECT_EQ(CodePointsOf(String()), U"");
  EXPECT_EQ(CodePointsOf(U("你b")), U"你b");
}

TEST_F(StringTest, D11Utf8AndUCS4RoundTrip) {
  std::string all;
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
    if (IsCodePoint(c)) AppendUtf8(&all, c);
  }
  const UCS4String wide = String(all).ToUCS4().value();
  EXPECT_EQ(wide.size(), Utf8Length(all));
  EXPECT_EQ(wide.code_point(0x80), char32_t{0x80});
  EXPECT_EQ(wide.ToUtf8().value().view(), all);
  EXPECT_EQ(String::FromUtf8("añ你😀").value().size(), 10u);
  EXPECT_EQ(U("añ你😀")[2], U("你"));
  EXPECT_TRUE(U("").ToUtf8().value().empty());
}

TEST_F(StringTest, D11InvalidTextIsRefused) {
  const auto message = [](std::string_view text) {
    const Result<UCS4String> result = UCS4String::FromUtf8(text);
    return result.ok() ? "accepted" : std::string(result.status().message());
  };
  EXPECT_EQ(message("abc\xff"), "invalid UTF-8: byte 0xff at offset 3 of 4");
  EXPECT_EQ(message("\xc3"), "invalid UTF-8: byte 0xc3 at offset 0 of 1");
  EXPECT_EQ(message("a\xed\xa0\x80"), "invalid UTF-8: byte 0xed at offset 1 of 4") << "surrogate";
  EXPECT_EQ(message("\xc0\x80"), "invalid UTF-8: byte 0xc0 at offset 0 of 2") << "overlong";
  EXPECT_EQ(message("\xf4\x90\x80\x80"), "invalid UTF-8: byte 0xf4 at offset 0 of 4");
  EXPECT_EQ(String::FromUtf8("a\x80").status().message(),
            "invalid UTF-8: byte 0x80 at offset 1 of 2");
  EXPECT_EQ(String("\xff").ToUCS4().status().code(), StatusCode::kInvalidArgument);
  const char32_t surrogate[] = {'a', 0xD800}, beyond[] = {0x110000};
  EXPECT_EQ(UCS4String::FromCodePoints(std::u32string_view(surrogate, 2)).status().message(),
            "not a code point: the surrogate U+D800 at index 1 of 2");
  EXPECT_EQ(UCS4String(std::u32string_view(beyond, 1)).ToUtf8().status().message(),
            "not a code point: U+110000 at index 0 of 1");
}

TEST_F(StringTest, D11TwoCodePointsLieInAnAny) {
  const std::u32string text = U"añ你😀b";
  for (size_t length = 0; length <= 5; ++length) {
    const UCS4String string(std::u32string_view(text).substr(0, length));
    EXPECT_EQ(string.is_inline(), length <= 4);
    const int64_t before = live();
    const Any any(string);
    EXPECT_EQ(any.type_code(), length <= 2 ? TERN_TYPE_SMALL_UCS4 : TERN_TYPE_UCS4_STRING);
    EXPECT_EQ(live() - before, length <= 2 ? 0 : 1);
    EXPECT_EQ(any.TryCast<UCS4String>(), string);
    EXPECT_EQ(any.type_name(), "ucs4 string");
    EXPECT_FALSE(any.Is<String>()) << "never converted unasked";
  }
  EXPECT_FALSE(Any("text").Is<UCS4String>());
  EXPECT_EQ(Any(7).As<UCS4String>().status().message(), "expected ucs4 string, got int 7");
  UCS4String moved(std::u32string(100, U'x'));
  const char32_t* data = moved.data();
  const Any any(std::move(moved));
  EXPECT_EQ(any.TryCast<UCS4String>()->data(), data) << "moved, not copied";
}

TEST_F(StringTest, D12BytesAreNotText) {
  const BytesPtr bytes = Bytes::Make(std::string_view("a\0\xff", 3));
  EXPECT_EQ(bytes->size(), 3u);
  EXPECT_EQ(bytes->span()[2], 0xff);
  const Any any(bytes);
  EXPECT_EQ(any.type_code(), TERN_TYPE_BYTES);
  EXPECT_EQ(any.type_name(), "bytes");
  EXPECT_FALSE(any.Is<String>() || any.Is<std::string_view>() || any.Is<UCS4String>());
  EXPECT_FALSE(Any("abc").Is<Bytes>() || Any("a longer text").Is<Bytes>());
  EXPECT_EQ(any.As<String>().status().message(), "expected string, got bytes");
  EXPECT_EQ(bytes->ToString().status().message(), "invalid UTF-8: byte 0xff at offset 2 of 3");
  EXPECT_EQ(Bytes::Make("añ")->ToString().value(), "añ");
  EXPECT_EQ(Bytes::Make("")->size(), 0u);
}

TEST_F(StringTest, D12TextBytesAndCodePointsAreKeysByContent) {
  Map<> map;
  const auto code_points = [] { return Any(UCS4String(U"a longer text")); };
  map.Set(code_points(), 1);
  map.Set(Any(Bytes::Make("a longer text")), 2);
  map.Set("a longer text", 3);
  EXPECT_EQ(map.size(), 3u);
  EXPECT_EQ(map[code_points()].TryCast<int>(), 1);
  EXPECT_EQ(map[Any(Bytes::Make("a longer text"))].TryCast<int>(), 2);
  EXPECT_EQ(map[Any(std::string("a longer text"))].TryCast<int>(), 3);
  EXPECT_FALSE(map.Contains(Any(UCS4String(U"another text"))));
}

}  // namespace
}  // namespace tern::string_test
