#include <algorithm>

#include "characters.hpp"
#include "scanner.hpp"

namespace hodor {
namespace {

// Behind the digits at `at`; a separator counts between two digits only.
std::size_t digits_end(const LexInput& source, std::size_t at) {
  std::size_t i = at;
  while (is_digit(source.peek(i)) || (source.rules.digit_separators && i > at &&
                                      source.peek(i) == '_' && is_digit(source.peek(i + 1)))) {
    ++i;
  }
  return i;
}

// Behind `e`, a sign and digits; `at` itself when they are not all there.
std::size_t exponent_end(const LexInput& source, std::size_t at) {
  if (lower(source.peek(at)) != 'e') return at;
  const std::size_t digits = at + (contains("+-", source.peek(at + 1)) ? 2 : 1);
  const std::size_t end = digits_end(source, digits);
  return end == digits ? at : end;
}

// Spark's number suffixes; l, s and y stand behind plain digits only.
std::size_t suffix_end(const LexInput& source, std::size_t at, bool plain_digits) {
  if (!source.rules.number_suffixes) return at;
  const char c = lower(source.peek(at));
  if (c == 'f' || c == 'd' || (plain_digits && (c == 'l' || c == 's' || c == 'y'))) return at + 1;
  return c == 'b' && lower(source.peek(at + 1)) == 'd' ? at + 2 : at;
}

// The longest number at `at`, or `at` when there is none. A number with a dot that letters or
// digits follow is none in Spark: 1.5x is 1 . 5x.
std::size_t number_end(const LexInput& source, std::size_t at) {
  const std::size_t whole = digits_end(source, at);
  const std::size_t exponent = exponent_end(source, whole);
  const std::size_t plain = whole == at ? at : suffix_end(source, exponent, exponent == whole);
  if (source.peek(whole) != '.') return plain;
  const std::size_t fraction = digits_end(source, whole + 1);
  if (whole == at && fraction == whole + 1) return plain;  // a lone dot
  const std::size_t dotted = suffix_end(source, exponent_end(source, fraction), false);
  const char next = source.peek(dotted);
  const bool valid =
      !source.rules.number_suffixes || !(is_letter(next) || is_digit(next) || next == '_');
  return valid ? dotted : plain;
}

// Behind a name that is a URI, `at` when there is none: letters, then :// and more.
std::size_t uri_end(const LexInput& source, std::size_t at) {
  std::size_t i = at;
  while (is_letter(source.peek(i)) || is_wide(source.peek(i))) ++i;
  if (i == at || !source.starts_with(i, "://")) return at;
  const std::size_t path = i + 3;
  for (i = path; is_name_part(source.peek(i)) || contains("/-.?=&#%", source.peek(i)); ++i) {
  }
  return i == path ? at : i;
}

}  // namespace

Scan scan_name(const LexInput& source, std::size_t at) {
  std::size_t i = at;
  while (i < source.sql.size()) {
    const char c = source.sql[i];
    if (source.rules.is(c, byte_class::name_part)) {
      ++i;
      continue;
    }
    bool odd = false;
    if (!is_wide(c) || space_length(source, i, &odd) != 0) break;
    ++i;
    while (i < source.sql.size() && (static_cast<unsigned char>(source.sql[i]) & 0xc0u) == 0x80u) {
      ++i;  // the rest of one code point
    }
  }
  if (source.rules.uri_names && source.peek(i) == ':') i = std::max(i, uri_end(source, at));
  return {TokenKind::identifier, i};
}

Scan scan_number(const LexInput& source, std::size_t at) {
  const std::size_t end = number_end(source, at);
  if (source.rules.digits_start_names) {
    const std::size_t name = is_digit(source.peek(at)) ? scan_name(source, at).end : at;
    if (name > end) return {TokenKind::identifier, name};
  }
  if (end == at) return {TokenKind::punctuation, at + 1};  // a dot that starts no number
  if (source.peek(end) == '.' && source.rules.dotted_number_is_error) {
    return {TokenKind::error_number, source.sql.size()};
  }
  return {TokenKind::number, end};
}

std::size_t operator_length(const LexInput& source, std::size_t at, bool open_brackets) {
  const char first = source.sql[at];
  if (!source.rules.is(first, byte_class::operator_start)) return 0;
  for (const std::string_view candidate : source.rules.operators) {
    if (candidate[0] != first || (open_brackets && candidate.starts_with(">>"))) continue;
    if (source.starts_with(at, candidate)) return candidate.size();
  }
  std::size_t end = at;
  bool keeps_sign = false;
  while (end < source.sql.size() && contains(source.rules.operator_characters, source.sql[end])) {
    if (source.starts_with(end, "--") || source.starts_with(end, "/*")) break;
    keeps_sign = keeps_sign || contains(source.rules.keeps_sign, source.sql[end]);
    ++end;
  }
  while (!keeps_sign && end > at + 1 && contains("+-", source.sql[end - 1])) --end;
  return end - at;
}

}  // namespace hodor
