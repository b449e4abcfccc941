// Digests of values: look-alikes, order, limits, injectivity on random trees, committed digests.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "hodor/base/json.hpp"
#include "hodor/base/limits.hpp"
#include "hodor/fingerprint/value_digest.hpp"

namespace hodor {
namespace {

Value text(std::string value) { return {std::move(value)}; }
Value integer(std::int64_t value) { return {value}; }
Value list(ValueList items) { return {std::move(items)}; }
Value map(ValueMap entries) { return {std::move(entries)}; }
Value null() { return {}; }

std::string digest(const Value& value) { return value_digest("test", value).value(); }

TEST(ValueDigest, LookAlikesHaveDifferentDigests) {
  const std::vector<Value> values = {null(),
                                     {false},
                                     {true},
                                     integer(0),
                                     integer(1),
                                     {0.0},
                                     {-0.0},
                                     {1.0},
                                     text(""),
                                     text("0"),
                                     text("1"),
                                     text("True"),
                                     text("true"),
                                     text("null"),
                                     text("None"),
                                     text("1.0"),
                                     {Bytes{"1"}},
                                     {Bytes{""}},
                                     {Date{"2026-01-01"}},
                                     {DateTime{"2026-01-01"}},
                                     text("2026-01-01"),
                                     {BigInteger{"9223372036854775808"}},
                                     text("9223372036854775808"),
                                     list({}),
                                     map({}),
                                     list({null()}),
                                     list({list({})}),
                                     list({map({})}),
                                     map({{text(""), null()}}),
                                     list({text("a"), text("b")}),
                                     list({text("b"), text("a")}),
                                     list({text("ab")}),
                                     list({text("a;b")}),
                                     list({list({text("a")}), text("b")}),
                                     list({list({text("a"), text("b")})}),
                                     map({{text("a"), text("b")}}),
                                     list({text("a"), text("b"), null()}),
                                     map({{text("a"), list({text("b")})}}),
                                     map({{text("a"), map({{text("b"), null()}})}}),
                                     map({{integer(1), text("a")}}),
                                     map({{text("1"), text("a")}}),
                                     map({{{true}, text("a")}}),
                                     map({{null(), text("a")}}),
                                     map({{text("None"), text("a")}}),
                                     map({{text("entry"), list({integer(1), text("a")})}}),
                                     map({{text("a"), null()}, {text("b"), null()}}),
                                     map({{text("a"), null()}}),
                                     map({{text("a"), null()}, {text("b"), text("")}}),
                                     map({{integer(1), null()}, {text("b"), null()}}),
                                     map({{text("1"), null()}, {text("b"), null()}})};
  std::map<std::string, std::size_t> seen;
  std::set<std::string> dumps;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [known, is_new] = seen.emplace(digest(values[i]), i);
    EXPECT_TRUE(is_new) << i << " = " << known->second;
    EXPECT_TRUE(dumps.insert(dump_value("test", values[i]).value()).second) << i;
  }
}

TEST(ValueDigest, TheOrderOfKeysDoesNotCountOfItemsItDoes) {
  const Value ab = map({{text("a"), integer(1)}, {text("b"), integer(2)}});
  const Value ba = map({{text("b"), integer(2)}, {text("a"), integer(1)}});
  EXPECT_EQ(digest(ab), digest(ba));
  const Value mixed = map({{text("b"), ab}, {integer(1), integer(2)}, {null(), ba}});
  const Value mixed_again = map({{null(), ab}, {integer(1), integer(2)}, {text("b"), ba}});
  EXPECT_EQ(digest(mixed), digest(mixed_again));
}

TEST(ValueDigest, TheLabelCounts) {
  EXPECT_NE(value_digest("a", null()).value(), value_digest("b", null()).value());
  EXPECT_NE(value_digest("", text("a")).value(), value_digest("a", text("")).value());
}

TEST(ValueDigest, PartsAreDigestsPerKey) {
  const Value config = map({{text("b"), integer(1)}, {text("a"), integer(1)}});
  const KeyDigests parts = value_digest_parts("test", config).value();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].first, "a");
  EXPECT_EQ(parts[1].first, "b");
  EXPECT_NE(parts[0].second, parts[1].second);  // the key is part of it
  const Value changed = map({{text("b"), text("1")}, {text("a"), integer(1)}});
  const KeyDigests after = value_digest_parts("test", changed).value();
  EXPECT_EQ(after[0].second, parts[0].second);
  EXPECT_NE(after[1].second, parts[1].second);
  EXPECT_NE(value_digest_parts("other", config).value()[0].second, parts[0].second);
  EXPECT_TRUE(value_digest_parts("test", map({})).value().empty());
}

TEST(ValueDigest, RefusesWhatHasNoOneReading) {
  EXPECT_FALSE(value_digest("x", map({{text("a"), null()}, {text("a"), null()}})).ok());
  EXPECT_FALSE(value_digest("x", map({{integer(1), null()}, {integer(1), null()}})).ok());
  EXPECT_FALSE(value_digest("x", map({{list({}), null()}})).ok());
  EXPECT_FALSE(value_digest("x", map({{map({}), null()}})).ok());
  EXPECT_FALSE(value_digest("x", {Decimal{"1.5"}}).ok());
  EXPECT_FALSE(value_digest("x", list({map({{text("a"), {Decimal{"1"}}}})})).ok());
  EXPECT_FALSE(value_digest("x", map({{{Decimal{"1"}}, null()}})).ok());
  EXPECT_FALSE(value_digest_parts("x", list({})).ok());
  EXPECT_FALSE(value_digest_parts("x", map({{integer(1), null()}})).ok());
  EXPECT_FALSE(value_digest_parts("x", map({{text("a"), null()}, {text("a"), null()}})).ok());
  EXPECT_FALSE(value_digest_parts("x", map({{text("a"), {Decimal{"1"}}}})).ok());
  EXPECT_FALSE(dump_value("x", {Decimal{"1"}}).ok());
}

TEST(ValueDigest, NestsToItsLimitAndNoFurther) {
  const auto nested = [](std::size_t depth) {
    Value value;
    for (std::size_t i = 0; i < depth; ++i) {
      ValueList items;
      items.push_back(std::move(value));
      value = list(std::move(items));
    }
    return value;
  };
  EXPECT_TRUE(value_digest("x", nested(limits::kValueDepth)).ok());
  EXPECT_FALSE(value_digest("x", nested(limits::kValueDepth + 1)).ok());
}

TEST(ValueDigest, CountsValuesToItsLimitAndNoFurther) {
  EXPECT_TRUE(value_digest("x", list(ValueList(limits::kValueCount - 1))).ok());
  EXPECT_FALSE(value_digest("x", list(ValueList(limits::kValueCount))).ok());
}

Value random_value(std::mt19937& random, int depth) {
  static const std::vector<std::string> texts = {"", "a", "b", "ab", "1", "[", "]", "\x01"};
  const auto pick = [&] { return texts[random() % texts.size()]; };
  switch (random() % (depth > 0 ? 8 : 6)) {
    case 0:
      return null();
    case 1:
      return {random() % 2 == 0};
    case 2:
      return integer(static_cast<std::int64_t>(random() % 3));
    case 3:
      return {static_cast<double>(random() % 3)};
    case 4:
      return text(pick());
    case 5:
      return {Bytes{pick()}};
    case 6: {
      ValueList items;
      for (auto left = random() % 3; left > 0; --left)
        items.push_back(random_value(random, depth - 1));
      return list(std::move(items));
    }
    default: {
      std::map<std::string, MapEntry> entries;  // by key, so that no key stands twice
      for (auto left = random() % 3; left > 0; --left) {
        const bool is_number = random() % 3 == 0;
        const std::string key = is_number ? std::to_string(random() % 2) : pick();
        entries[(is_number ? "n" : "t") + key] = {is_number ? integer(std::stoll(key)) : text(key),
                                                  random_value(random, depth - 1)};
      }
      ValueMap map_entries;
      for (auto& [order, entry] : entries) map_entries.push_back(std::move(entry));
      return map(std::move(map_entries));
    }
  }
}

// A second, independent description of a value, unique by construction.
std::string story_of(const Value& value) {
  const auto quoted = [](const std::string& s) { return std::to_string(s.size()) + ":" + s; };
  if (value.is_null()) return "null";
  if (const bool* flag = value.as<bool>()) return *flag ? "true" : "false";
  if (const auto* number = value.as<std::int64_t>()) return "int" + std::to_string(*number) + ";";
  if (const double* real = value.as<double>()) return "real" + std::to_string(*real) + ";";
  if (const auto* words = value.as<std::string>()) return "text" + quoted(*words);
  if (const Bytes* bytes = value.as<Bytes>()) return "bytes" + quoted(bytes->bytes);
  std::string story;
  if (const ValueList* items = value.as<ValueList>()) {
    for (const Value& item : *items) story += story_of(item) + ",";
    return "(" + story + ")";
  }
  for (const MapEntry& entry : *value.as<ValueMap>()) {
    story += story_of(entry.key) + "=" + story_of(entry.value) + ",";
  }
  return "{" + story + "}";
}

TEST(ValueDigest, RandomTreesCollideOnlyWhenEqual) {
  std::mt19937 random(2);
  std::map<std::string, std::string> story_of_digest;
  std::set<std::string> stories;
  for (int i = 0; i < 20'000; ++i) {
    const Value value = random_value(random, 3);
    const std::string story = story_of(value);
    stories.insert(story);
    EXPECT_EQ(story_of_digest.emplace(digest(value), story).first->second, story);
  }
  EXPECT_EQ(stories.size(), story_of_digest.size());
  EXPECT_GT(stories.size(), 1'000u);
}

}  // namespace
}  // namespace hodor
