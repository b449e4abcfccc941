// UTF-8: every code point round-trips, every ill-formed sequence is refused.
#include <gtest/gtest.h>

#include <string>

#include "hodor/base/utf8.hpp"

namespace hodor {
namespace {

TEST(Utf8, EveryCodePointIsValidAndSurrogatesAreNot) {
  int wrong = 0;
  for (std::uint32_t code = 0; code <= 0x10ffff; ++code) {
    std::string text;
    append_utf8(text, code);
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    wrong += is_valid_utf8(text) == is_surrogate;
    const std::size_t want = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    wrong += text.size() != want;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Utf8, RefusesIllFormedBytesAtEveryPlace) {
  const std::string bad[] = {"\x80",
                             "\xbf",
                             "\xc0\x80",
                             "\xc1\xbf",
                             "\xc2",
                             "\xe0\x9f\xbf",
                             "\xed\xa0\x80",
                             "\xef\xbf",
                             "\xf0\x8f\xbf\xbf",
                             "\xf4\x90\x80\x80",
                             "\xf5\x80\x80\x80",
                             "\xff",
                             "\xe2\x28\xa1",
                             "\xe2\x82\x28",
                             "\xf0\x9f\x98"};
  for (const std::string& bytes : bad) {
    for (std::size_t before = 0; before < 18; ++before) {
      const std::string text = std::string(before, 'a') + bytes;
      EXPECT_FALSE(is_valid_utf8(text)) << before;
      EXPECT_FALSE(is_valid_utf8(text + std::string(9, 'b'))) << before;
    }
  }
}

TEST(Utf8, AcceptsMixedText) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("select 'Grüße, 世界 🌍' from t"));
  EXPECT_TRUE(is_valid_utf8(std::string(64, '\x7f')));
}

}  // namespace
}  // namespace hodor
