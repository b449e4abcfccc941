// ASCII character classes. Never the C library's: those follow the locale.
#pragma once
#include <string_view>

namespace hodor {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_wide(char c) { return static_cast<unsigned char>(c) >= 0x80; }
constexpr bool is_name_start(char c) { return is_letter(c) || c == '_' || is_wide(c); }
constexpr bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
constexpr bool contains(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

}  // namespace hodor
