#include "characters.hpp"
#include "scanner.hpp"

namespace hodor {
namespace {

// The code point at `at` of valid UTF-8, and its length.
char32_t decode(std::string_view sql, std::size_t at, std::size_t* length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sql[at + i]); };
  const unsigned char first = byte(0);
  *length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (*length == 1) return first;
  char32_t point = first & (0x7fu >> *length);
  for (std::size_t i = 1; i < *length; ++i) point = (point << 6) | (byte(i) & 0x3fu);
  return point;
}

}  // namespace

std::size_t space_length(const LexInput& source, std::size_t at, bool* odd) {
  const char c = source.peek(at);
  *odd = false;
  if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f') return 1;
  *odd = true;
  if (c == '\v') return source.rules.vertical_tab_is_odd_space ? 1 : 0;
  if (!is_wide(c)) return 0;
  std::size_t length = 0;
  const char32_t point = decode(source.sql, at, &length);
  for (const char32_t space : source.rules.wide_spaces) {
    if (space == point) return length;
  }
  return 0;
}

std::size_t line_comment_end(const LexInput& source, std::size_t at) {
  std::size_t i = at + 2;
  for (; i < source.sql.size(); ++i) {
    const char c = source.sql[i];
    const bool continues = source.rules.backslash_continues_comment && c == '\\';
    if (continues && source.peek(i + 1) == '\n') {
      ++i;
    } else if (c == '\n' || c == '\r') {
      break;
    }
  }
  return i;
}

std::size_t block_comment_end(const LexInput& source, std::size_t at) {
  std::size_t depth = 1;
  for (std::size_t i = at + 2; i + 1 < source.sql.size();) {
    if (source.starts_with(i, "/*") && !(source.rules.hints && source.peek(i + 2) == '+')) {
      ++depth;  // Spark does not count a hint inside a comment.
      i += 2;
    } else if (source.starts_with(i, "*/")) {
      i += 2;
      if (--depth == 0) return i;
    } else {
      ++i;
    }
  }
  return std::string_view::npos;
}

}  // namespace hodor
