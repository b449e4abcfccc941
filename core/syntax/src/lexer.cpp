#include "hodor/syntax/lexer.hpp"

#include <algorithm>
#include <cstring>

#include "characters.hpp"
#include "hodor/base/limits.hpp"
#include "hodor/base/utf8.hpp"
#include "hodor/syntax/words.hpp"
#include "scanner.hpp"

namespace hodor {
namespace {

class Lexer {
 public:
  Lexer(std::string_view sql, Dialect dialect)
      : dialect_(dialect), source_{sql, lex_rules(dialect)}, lexed_(dialect) {}

  Lexed run() {
    lexed_.tokens.reserve(source_.sql.size() / 5 + 2);
    lexed_.ok = true;
    while (lexed_.ok && skip_gap() && at_ < source_.sql.size()) {
      if (lexed_.tokens.size() >= limits::kSqlTokens) {
        push({TokenKind::error_limit, source_.sql.size()});
      } else {
        push(scan());
      }
    }
    push({TokenKind::end, source_.sql.size()});
    return std::move(lexed_);
  }

 private:
  // Moves over whitespace and comments. False after a comment without an end.
  bool skip_gap() {
    while (at_ < source_.sql.size()) {
      std::size_t end = at_;
      bool odd = false;
      const char c = source_.sql[at_];
      if (source_.rules.is(c, byte_class::space)) {
        gap_.space_before = true;
        ++at_;
        if (c == '\n' || c == '\r') {
          gap_.newline_before = true;
          skip_indentation();
        }
        continue;
      }
      // Most tokens begin right here; spaces that are left are odd ones.
      if (c != '-' && c != '/' && c != '\v' && !is_wide(c)) break;
      const std::size_t space = space_length(source_, at_, &odd);
      if (space != 0) {
        end += space;
        gap_.odd_space_before = gap_.odd_space_before || odd;
      } else if (source_.starts_with(at_, "--")) {
        end = line_comment_end(source_, at_);
      } else if (source_.starts_with(at_, "/*") && !is_hint(at_)) {
        end = block_comment_end(source_, at_);
        if (end == std::string_view::npos) {
          push({TokenKind::error_comment, source_.sql.size()});
          return false;
        }
        gap_.block_comment_before = true;
      } else {
        break;
      }
      note_gap(end);
    }
    return true;
  }

  void skip_indentation() {
    constexpr std::string_view kEight = "        ";
    while (source_.sql.size() - at_ >= kEight.size() &&
           std::memcmp(source_.sql.data() + at_, kEight.data(), kEight.size()) == 0) {
      at_ += kEight.size();
    }
  }

  void note_gap(std::size_t end) {
    gap_.space_before = true;
    const std::string_view passed = source_.sql.substr(at_, end - at_);
    gap_.newline_before =
        gap_.newline_before || passed.find_first_of("\n\r") != std::string_view::npos;
    at_ = end;
  }

  bool is_hint(std::size_t at) const {
    return source_.rules.hints && source_.starts_with(at, "/*+");
  }

  Scan scan() {
    const char c = source_.sql[at_];
    const LexRules& rules = source_.rules;
    if (c == '/' && is_hint(at_)) return scan_hint();
    if (rules.is(c, byte_class::quote) ||
        (rules.is(c, byte_class::prefix) && string_prefix(source_, at_) != nullptr)) {
      return scan_quoted(source_, at_);
    }
    if (rules.is(c, byte_class::name_start)) {
      return is_unicode_string() ? ambiguous() : scan_name(source_, at_);
    }
    if (c == '.' || rules.is(c, byte_class::digit)) return scan_number(source_, at_);
    if (c == '$') return scan_dollar(source_, at_);
    if (c == '#' && rules.positional_parameters) return scan_position();
    if (const std::size_t length = operator_length(source_, at_, open_brackets_ > 0)) {
      return {TokenKind::op, at_ + length};
    }
    if (c == '?' && rules.question_mark_parameters) return {TokenKind::parameter, at_ + 1};
    if (rules.is(c, byte_class::punctuation)) return {TokenKind::punctuation, at_ + 1};
    return {TokenKind::error_character, source_.sql.size()};
  }

  Scan ambiguous() const { return {TokenKind::error_ambiguous, source_.sql.size()}; }

  bool is_unicode_string() const {
    return source_.rules.unicode_prefix_is_ambiguous && lower(source_.sql[at_]) == 'u' &&
           source_.peek(at_ + 1) == '&' && contains("'\"", source_.peek(at_ + 2));
  }

  Scan scan_position() const {
    std::size_t end = at_ + 1;
    while (is_digit(source_.peek(end))) ++end;
    return end == at_ + 1 ? Scan{TokenKind::error_character, source_.sql.size()}
                          : Scan{TokenKind::parameter, end};
  }

  // The engine lexes what stands in a hint, so a quote or comment in it hides its end.
  Scan scan_hint() const {
    const std::string_view rest = source_.sql.substr(at_ + 3);
    Lexer inside(rest, dialect_);
    while (inside.skip_gap() && inside.at_ < rest.size()) {
      if (inside.source_.starts_with(inside.at_, "*/")) {
        return {TokenKind::hint, at_ + 3 + inside.at_ + 2};
      }
      const Scan next = inside.is_hint(inside.at_) ? ambiguous() : inside.scan();
      if (is_error(next.kind)) break;
      inside.at_ = next.end;
    }
    return {TokenKind::error_comment, source_.sql.size()};
  }

  void push(const Scan& scanned) {
    Token token = gap_;
    token.kind = scanned.kind;
    token.begin = static_cast<std::uint32_t>(at_);
    token.end = static_cast<std::uint32_t>(scanned.end);
    gap_ = {};
    at_ = scanned.end;
    if (token.kind == TokenKind::identifier) {
      note_name(token);
    } else if (token.kind == TokenKind::quoted_identifier) {
      token.name = lexed_.names.add(name_value(token, source_.sql));
    } else if (open_brackets_ > 0 && token.text(source_.sql) == ">") {
      --open_brackets_;
    }
    if (is_error(token.kind)) lexed_.ok = false;
    lexed_.tokens.push_back(token);
  }

  void note_name(Token& token) {
    const std::string_view text = token.text(source_.sql);
    token.name = lexed_.names.add(text);
    const WordEntry& word = lexed_.names.word(token.name);
    token.word_class = word.word_class;
    token.parser_word = word.parser_word;
    for (const std::string_view opens : source_.rules.bracket_words) {
      if (equals_ignoring_case(text, opens)) ++open_brackets_;
    }
  }

  Dialect dialect_;
  LexInput source_;
  Lexed lexed_;
  Token gap_;  // flags of the gap before the next token
  std::size_t at_ = 0;
  std::size_t open_brackets_ = 0;
};

}  // namespace

Lexed lex(std::string_view sql, Dialect dialect) {
  const bool too_long = sql.size() > limits::kSqlBytes;
  const bool bad_bytes = sql.find('\0') != std::string_view::npos || !is_valid_utf8(sql);
  if (!too_long && !bad_bytes) return Lexer(sql, dialect).run();
  // Offsets have 32 bits; only the size of a text that is too long does not fit, so it is cut
  // there.
  const std::size_t size = std::min<std::size_t>(sql.size(), limits::kSqlBytes);
  Lexed lexed(dialect);
  Token error;
  error.kind = too_long ? TokenKind::error_limit : TokenKind::error_character;
  error.end = static_cast<std::uint32_t>(size);
  Token end;
  end.begin = end.end = error.end;
  lexed.tokens = {error, end};
  return lexed;
}

std::string name_value(const Token& token, std::string_view sql) {
  const std::string_view text = token.text(sql);
  if (token.kind != TokenKind::quoted_identifier) return std::string(text);
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    value.push_back(text[i]);
    if (text[i] == text[0]) ++i;  // a doubled quote stands for one
  }
  return value;
}

}  // namespace hodor
