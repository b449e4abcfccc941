#include "hodor/base/utf8.hpp"

#include <cstring>

namespace hodor {
namespace {

// Length of the valid sequence at `at`, 0 when there is none. Table 3-7 of the Unicode standard.
std::size_t sequence_length(const unsigned char* at, std::size_t left) {
  const unsigned char lead = at[0];
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xbf;  // bounds of the second byte
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  }
  if (length == 0 || length > left || at[1] < low || at[1] > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (at[i] < 0x80 || at[i] > 0xbf) return 0;
  }
  return length;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t left = text.size();
  while (left > 0) {
    std::uint64_t eight = 0;
    if (left >= sizeof eight) {
      std::memcpy(&eight, at, sizeof eight);
      if ((eight & 0x8080808080808080ULL) == 0) {
        at += sizeof eight;
        left -= sizeof eight;
        continue;
      }
    }
    const std::size_t length = sequence_length(at, left);
    if (length == 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto push = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xc0 | code_point >> 6);
    push(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    push(0xe0 | code_point >> 12);
    push(0x80 | (code_point >> 6 & 0x3f));
    push(0x80 | (code_point & 0x3f));
  } else {
    push(0xf0 | code_point >> 18);
    push(0x80 | (code_point >> 12 & 0x3f));
    push(0x80 | (code_point >> 6 & 0x3f));
    push(0x80 | (code_point & 0x3f));
  }
}

}  // namespace hodor
