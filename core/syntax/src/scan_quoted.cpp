#include "characters.hpp"
#include "scanner.hpp"

namespace hodor {
namespace {

// Position behind the closing quote of a text whose first inner byte is at `at`; npos without one.
std::size_t closing_quote(const LexInput& source, std::size_t at, char quote,
                          bool backslash_escapes, bool doubled) {
  for (std::size_t i = at; i < source.sql.size(); ++i) {
    const char c = source.sql[i];
    if (c == '\\' && backslash_escapes) {
      ++i;
    } else if (c == quote) {
      if (!doubled || source.peek(i + 1) != quote) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

Scan scan_string(const LexInput& source, std::size_t quote_at, TokenKind kind, bool escapes) {
  const char quote = source.sql[quote_at];
  const bool raw = kind == TokenKind::raw_string;
  const std::size_t end = closing_quote(source, quote_at + 1, quote, escapes, !raw);
  if (end == std::string_view::npos) return {TokenKind::error_string, source.sql.size()};
  if (raw && source.rules.raw_string_then_quote_is_ambiguous && source.peek(end) == quote) {
    return {TokenKind::error_ambiguous, source.sql.size()};
  }
  return {kind, end};
}

// End of the tag of a dollar string: position behind the second `$`, npos when this is none.
std::size_t dollar_tag_end(const LexInput& source, std::size_t at) {
  if (source.peek(at + 1) == '$') return at + 2;
  if (!is_name_start(source.peek(at + 1))) return std::string_view::npos;
  std::size_t i = at + 2;
  while (is_name_part(source.peek(i))) ++i;
  return source.peek(i) == '$' ? i + 1 : std::string_view::npos;
}

}  // namespace

const StringPrefix* string_prefix(const LexInput& source, std::size_t at) {
  const char quote = source.peek(at + 1);
  if (quote == '\0' || !contains(source.rules.string_quotes, quote)) return nullptr;
  for (const StringPrefix& prefix : source.rules.prefixes) {
    if (prefix.letter == lower(source.peek(at))) return &prefix;
  }
  return nullptr;
}

Scan scan_quoted(const LexInput& source, std::size_t at) {
  if (const StringPrefix* prefix = string_prefix(source, at)) {
    return scan_string(source, at + 1, prefix->kind, prefix->backslash_escapes);
  }
  const char quote = source.sql[at];
  if (contains(source.rules.string_quotes, quote)) {
    return scan_string(source, at, TokenKind::string, source.rules.backslash_escapes);
  }
  const std::size_t end = closing_quote(source, at + 1, quote, false, true);
  const bool empty = end == at + 2 && !source.rules.empty_identifiers;
  return end == std::string_view::npos || empty
             ? Scan{TokenKind::error_identifier, source.sql.size()}
             : Scan{TokenKind::quoted_identifier, end};
}

Scan scan_dollar(const LexInput& source, std::size_t at) {
  if (source.rules.dollar_strings) {
    const std::size_t body = dollar_tag_end(source, at);
    if (body != std::string_view::npos) {
      const std::string_view tag = source.sql.substr(at, body - at);
      const std::size_t close = source.sql.find(tag, body);
      return close == std::string_view::npos ? Scan{TokenKind::error_string, source.sql.size()}
                                             : Scan{TokenKind::dollar_string, close + tag.size()};
    }
  }
  std::size_t i = at + 1;
  if (source.rules.dollar_parameters) {
    if (is_digit(source.peek(i))) {
      while (is_digit(source.peek(i))) ++i;
    } else {
      while (is_name_part(source.peek(i))) ++i;
    }
  }
  return i == at + 1 ? Scan{TokenKind::error_character, source.sql.size()}
                     : Scan{TokenKind::parameter, i};
}

}  // namespace hodor
