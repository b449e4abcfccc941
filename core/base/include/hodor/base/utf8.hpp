// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hodor {

bool is_valid_utf8(std::string_view text);

// Appends one code point. The caller passes no surrogate and nothing above U+10FFFF.
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace hodor
