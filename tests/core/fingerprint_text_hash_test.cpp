// Text hashes: equal for two runs of one text, different for everything else.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "hodor/base/limits.hpp"
#include "hodor/fingerprint/text_hash.hpp"

namespace hodor {
namespace {

const std::string kFirstId = "0e2c1d9a-61fb-4c37-9c4c-1f0f4b9e7a11";
const std::string kSecondId = "7b1f5c52-0b7e-4f0b-8f43-5a5f3a3c9d02";
const std::string kFirstStart = "2026-10-20 04:12:00.123456+00:00";
const std::string kSecondStart = "2026-10-21 04:12:07.654321+00:00";

RunValues values_of(const std::string& id, const std::string& start) {
  return {{id, "invocation_id"}, {start, "run_started_at"}};
}
const RunValues kFirst = values_of(kFirstId, kFirstStart);
const RunValues kSecond = values_of(kSecondId, kSecondStart);

TEST(TextHash, OneTextInTwoRunsHashesTheSame) {
  const auto text = [](const std::string& id, const std::string& start) {
    return "select '" + id + "' as a, '" + start + "' as b, '" + id + id + "' as c";
  };
  EXPECT_EQ(text_hash(text(kFirstId, kFirstStart), kFirst),
            text_hash(text(kSecondId, kSecondStart), kSecond));
}

TEST(TextHash, LookAlikesHashDifferently) {
  const std::string before = "select '";
  const std::string after = "' as a";
  const std::vector<std::string> texts = {
      before + kFirstId + after,         // the value
      before + "invocation_id" + after,  // the placeholder, written by a user
      before + "{{ invocation_id }}" + after,
      before + kFirstStart + after,  // another value
      before + kSecondId + after,    // a value of another run is plain text
      before + kFirstId + kFirstId + after,
      before + kFirstId + " " + kFirstId + after,
      before + after,
      before + kFirstId,
      kFirstId + after,
      kFirstId,
      "",
      " ",
      before + kFirstId.substr(1) + after,
      before + "0E2C1D9A-61FB-4C37-9C4C-1F0F4B9E7A11" + after,  // case counts
      "SELECT '" + kFirstId + after,
      before + "\x01run_value" + after,
  };
  std::set<std::string> hashes;
  for (const std::string& text : texts) {
    EXPECT_TRUE(hashes.insert(text_hash(text, kFirst)).second) << text;
  }
}

// A user writes bytes that look like the encoder's own fields around a run value.
TEST(TextHash, AForgedPreimageIsPlainText) {
  Preimage honest;
  add_text_without_run_values(honest, "a" + kFirstId + "b", kFirst);
  const std::string forged(honest.bytes());
  EXPECT_NE(text_hash(forged, kFirst), text_hash("a" + kFirstId + "b", kFirst));
  EXPECT_NE(text_hash(forged, {}), text_hash("a" + kFirstId + "b", kFirst));
}

TEST(TextHash, WithoutRunValuesEveryByteCounts) {
  EXPECT_NE(text_hash("select 1", {}), text_hash("select 1 ", {}));
  EXPECT_NE(text_hash("select 1", {}), text_hash("select 1\n", {}));
  EXPECT_NE(text_hash(std::string("a\0b", 3), {}), text_hash("a", {}));
  EXPECT_EQ(text_hash("select 1", {}), text_hash("select 1", kFirst));
}

TEST(TextHash, TheLongestOfOverlappingValuesCounts) {
  const std::string longer = kFirstStart + " UTC";
  const RunValues both = {{kFirstStart, "short"}, {longer, "long"}};
  const RunValues swapped = {{longer, "long"}, {kFirstStart, "short"}};
  EXPECT_EQ(text_hash("x" + longer, both), text_hash("x" + longer, swapped));
  EXPECT_NE(text_hash("x" + longer, both), text_hash("x" + longer, {{kFirstStart, "short"}}));
}

// "1" and "2" as values of two runs must not make `select 1` and `select 2` equal.
TEST(TextHash, ShortValuesAreLeftAlone) {
  EXPECT_NE(text_hash("select 1", {{"1", "n"}}), text_hash("select 2", {{"2", "n"}}));
  const std::string at_limit(limits::kRunValueMinBytes, 'a');
  const std::string below(limits::kRunValueMinBytes - 1, 'a');
  EXPECT_NE(text_hash(at_limit, {{at_limit, "n"}}), text_hash(at_limit, {}));
  EXPECT_EQ(text_hash(below, {{below, "n"}}), text_hash(below, {}));
  EXPECT_EQ(text_hash("select 1", {{"", "n"}}), text_hash("select 1", {}));
}

TEST(TextHash, LimitsOfRunValues) {
  const std::string at_limit(limits::kRunValueBytes, 'a');
  const std::string beyond(limits::kRunValueBytes + 1, 'a');
  EXPECT_NE(text_hash(at_limit, {{at_limit, "n"}}), text_hash(at_limit, {}));
  EXPECT_EQ(text_hash(beyond, {{beyond, "n"}}), text_hash(beyond, {}));

  RunValues many(limits::kRunValues - 1, {"never in the text", "n"});
  many.push_back({kFirstId, "id"});
  EXPECT_NE(text_hash(kFirstId, many), text_hash(kFirstId, {}));
  many.insert(many.begin(), {"never in the text", "n"});
  EXPECT_EQ(text_hash(kFirstId, many), text_hash(kFirstId, {}));
}

// Any two texts over an alphabet of values, placeholders and separators: equal hashes only if
// equal.
TEST(TextHash, RandomTextsCollideOnlyWhenEqual) {
  const std::vector<std::string> pieces = {kFirstId, kFirstStart, "invocation_id", "run_started_at",
                                           "a",      "]",         "\x01",          kSecondId};
  std::mt19937 random(11);
  std::set<std::string> texts, hashes;
  for (int i = 0; i < 5'000; ++i) {
    std::string text;
    for (auto left = random() % 5; left > 0; --left) text += pieces[random() % pieces.size()];
    texts.insert(text);
    hashes.insert(text_hash(text, kFirst));
  }
  EXPECT_EQ(texts.size(), hashes.size());
}

}  // namespace
}  // namespace hodor
