// SPDX-License-Identifier: Apache-2.0
// Scanner: the characters of a text, as parsers of text forms read them: what is skipped between
// tokens, words, numbers, texts in quotes, and the longest operator that fits. What a token means
// is the parser's.
//
// A position is a byte offset into the whole text, so that spans are the same whoever asks. Reading
// past the end gives '\0' and empty words. The first mistake is kept; it moves the position to the
// end for good, so that every loop of a parser stops and nothing is said of what follows from it.
#ifndef TERN_CORE_TEXT_SCANNER_H_
#define TERN_CORE_TEXT_SCANNER_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/base/names.h"

namespace tern::text {

// What tells the text forms apart below the level of tokens.
struct TextForm {
  std::string_view spaces = " ";
  // Each begins a comment to the end of the line.
  std::span<const std::string_view> comments = {};
  // What a word may hold beside letters, digits and '_'.
  std::string_view word_marks = "";
  // Operators of several characters, longer ones before their prefixes, and those of one.
  std::span<const std::string_view> operators = {};
  std::string_view marks = "";
  // What messages call the end.
  std::string_view end = "the end";
};

// Of texts of one line.
inline constexpr TextForm kPlainForm;

// What is wrong, and which part of the text it is about: at least one character.
struct Mistake {
  std::string message;
  size_t begin = 0;
  size_t end = 0;
};

inline constexpr std::string_view kFileSpaces = " \t\r\n";
inline constexpr std::string_view kFileComments[] = {"//", ";;"};

// Of a few characters; a call of the C library would take longer.
bool Contains(std::string_view few, char c);

class Scanner {
 public:
  // The text and the form must outlive the scanner.
  Scanner(std::string_view text, const TextForm& form, size_t at = 0)
      : text_(text), form_(&form), at_(at) {}

  std::string_view text() const { return text_; }
  size_t at() const { return at_; }
  // To a position that it had; after a mistake it stays at the end.
  void MoveTo(size_t at) { at_ = ok() ? at : text_.size(); }
  // Moves behind what a Peek gave, and gives it again.
  std::string_view Take(std::string_view peeked) { return at_ += peeked.size(), peeked; }
  // What was read since then.
  std::string_view Since(size_t begin) const { return text_.substr(begin, at_ - begin); }

  // --- where the position is, nothing skipped

  char Here(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool IsHere(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  bool AcceptHere(char c);
  // The characters from here on of which `is` says yes.
  template <class F>
  std::string_view TakeWhile(F is) {
    const size_t begin = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return Since(begin);
  }
  bool IsWordChar(char c) const;

  // --- behind spaces and comments

  void Skip();
  bool AtEnd() { return Skip(), at_ >= text_.size(); }
  char Peek() { return Skip(), Here(); }
  bool Accept(char c);
  bool Accept(std::string_view token);
  // These move behind the spaces only; empty where there is none.
  //
  // The longest operator of the form that fits.
  std::string_view PeekOperator();
  // One character, which may have several bytes: what is no token is quoted as a whole.
  std::string_view PeekCharacter();
  // A run of letters, digits, '_' and the form's marks; it may begin with a digit or be empty.
  std::string_view PeekWord();
  std::string_view TakeWord() { return Take(PeekWord()); }
  // Whatever looks like part of a number, so that "1.2.3" is one mistake and not two tokens: a
  // sign of `signs`, then a word, and a sign behind the e of an exponent.
  std::string_view PeekNumber(std::string_view signs = "");
  // "…" with its quotes; a backslash keeps the next character from ending it. Empty where no quote
  // is, or where the line ends first.
  std::string_view PeekQuoted();

  // --- the first mistake

  bool ok() const { return ok_; }
  // Empty after Stop, and where there is none.
  const Mistake& mistake() const { return mistake_; }
  // "expected …, got …": the next word or character.
  void Fail(std::string_view expected);
  // The same with a message of the caller's in front.
  void FailHere(std::string_view message);
  // A message of the caller's about what was read since then.
  void FailSince(size_t begin, std::string_view message);
  void Expect(std::string_view token);
  // Items between brackets with commas between them, also none: "(1, 2)".
  template <class Item>
  void ExpectList(std::string_view open, std::string_view close, const Item& item) {
    Expect(open);
    if (Accept(close)) return;
    do item();
    while (Accept(','));
    Expect(close);
  }
  // Ends the text after a mistake that was told elsewhere.
  void Stop() { ok_ = false, at_ = text_.size(); }
  // Goes on where a scanner of the same text, which may have another form, has stopped.
  void GoOn(const Scanner& other);

 private:
  bool IsSpace(char c) const { return Contains(form_->spaces, c); }
  bool AtComment() const;

  std::string_view text_;
  const TextForm* form_;
  size_t at_;
  size_t skipped_to_ = std::string_view::npos;
  bool ok_ = true;
  Mistake mistake_;
};

}  // namespace tern::text

#endif  // TERN_CORE_TEXT_SCANNER_H_
