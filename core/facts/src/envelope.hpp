// The frame around encoded facts: version, checksum, body. Damage is found before the body is read.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "hodor/base/sha256.hpp"

namespace hodor::envelope {

inline constexpr std::string_view kHead = R"({"v":2,"sum":")";
inline constexpr std::string_view kMiddle = R"(","facts":)";
inline constexpr std::string_view kTail = "}";
inline constexpr std::size_t kSumDigits = 16;

inline std::string wrap(std::string_view body) {
  std::string text;
  text.reserve(body.size() + 48);
  text.append(kHead).append(sha256_hex(body), 0, kSumDigits).append(kMiddle);
  text.append(body).append(kTail);
  return text;
}

// The body, or an empty view when the frame or the checksum is wrong.
inline std::string_view unwrap(std::string_view text) {
  const std::size_t body_from = kHead.size() + kSumDigits + kMiddle.size();
  if (text.size() < body_from + kTail.size()) return {};
  const std::string_view sum = text.substr(kHead.size(), kSumDigits);
  const std::string_view body = text.substr(body_from, text.size() - body_from - kTail.size());
  const bool is_framed = text.substr(0, kHead.size()) == kHead &&
                         text.substr(kHead.size() + kSumDigits, kMiddle.size()) == kMiddle &&
                         text.substr(text.size() - kTail.size()) == kTail;
  if (!is_framed || sha256_hex(body).compare(0, kSumDigits, sum) != 0) return {};
  return body;
}

}  // namespace hodor::envelope
