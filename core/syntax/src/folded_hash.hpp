// A hash of a name that does not see the case of ASCII letters, for tables in memory only.
//
// In:  any bytes. Out: 32 bits. Never: stored, or taken for equality: other bytes may share it.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hodor {

inline std::uint32_t folded_hash(std::string_view name) {
  constexpr std::uint64_t kFold = 0x2020202020202020ULL;  // A and a become one, and so do @ and `
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;
  const auto read = [](const char* at, std::size_t size) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, size);
    return bytes | kFold;
  };
  std::uint64_t hash = name.size() * kMultiplier;
  const char* at = name.data();
  std::size_t left = name.size();
  for (; left > 8; left -= 8, at += 8) {
    hash = (hash ^ read(at, 8)) * kMultiplier;
    hash ^= hash >> 29;
  }
  std::uint64_t last = 0;
  if (left == 8) {
    last = read(at, 8);
  } else if (left >= 4) {
    last = read(at, 4) << 32 ^ read(at + left - 4, 4);
  } else {
    for (; left > 0; --left, ++at) last = last << 8 | (static_cast<unsigned char>(*at) | 0x20u);
  }
  hash = (hash ^ last) * kMultiplier;
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace hodor
