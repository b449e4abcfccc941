// The JSON of records: what is accepted, what is refused, limits, round trips, random damage.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hodor/base/json.hpp"
#include "hodor/base/limits.hpp"

namespace hodor {
namespace {

// Writes a parsed tree again; the reader's tree holds no other types than these.
void write(json::Writer& out, const Value& value) {
  if (value.is_null()) out.null();
  if (const bool* flag = value.as<bool>()) out.boolean(*flag);
  if (const std::int64_t* number = value.as<std::int64_t>()) out.integer(*number);
  if (const std::string* text = value.as<std::string>()) out.text(*text);
  if (const ValueList* list = value.as<ValueList>()) {
    out.begin_array();
    for (const Value& item : *list) write(out, item);
    out.end_array();
  }
  if (const ValueMap* map = value.as<ValueMap>()) {
    out.begin_object();
    for (const MapEntry& entry : *map) {
      out.key(*entry.key.as<std::string>());
      write(out, entry.value);
    }
    out.end_object();
  }
}

std::string rewritten(std::string_view text) {
  const Result<Value> value = json::parse(text);
  if (!value.ok()) return value.error();
  json::Writer out;
  write(out, value.value());
  return std::move(out).finish().value();
}

TEST(Json, RoundTripsCompactText) {
  const std::string texts[] = {"null",
                               "true",
                               "false",
                               "0",
                               "-1",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "\"\"",
                               "[]",
                               "{}",
                               "[[],{}]",
                               R"({"a":1,"b":[true,null,"x"],"":{"c":"d"}})",
                               R"("\"\\\n\r\t\u0000\u001f/")",
                               "\"\x7f Grüße 世界 🌍\""};
  for (const std::string& text : texts) EXPECT_EQ(rewritten(text), text);
}

TEST(Json, ReadsWhiteSpaceAndAllEscapes) {
  EXPECT_EQ(rewritten(" \t\r\n[ 1 , {\"a\" : 2 } ] "), R"([1,{"a":2}])");
  EXPECT_EQ(rewritten(R"("\/\b\f\u00e9\uD83C\uDf0d")"), "\"/\\u0008\\u000cé🌍\"");
}

TEST(Json, TheCompactFormIsWhatTheWriterWrites) {
  std::string all_bytes;
  for (int byte = 0; byte < 128; ++byte) all_bytes += static_cast<char>(byte);
  json::Writer out;
  out.begin_array();
  out.text(all_bytes);
  out.integer(-5);
  out.end_array();
  const std::string text = std::move(out).finish().value();
  const Result<Value> value = json::parse(text, json::Form::compact);
  ASSERT_TRUE(value.ok()) << value.error();
  EXPECT_EQ(*(*value.value().as<ValueList>())[0].as<std::string>(), all_bytes);

  const char* others[] = {" 1",          "1 ",          "[1, 2]",      "{\"a\": 1}",
                          "{ }",         "[\n]",        R"("\/")",     R"("\b")",
                          R"("\f")",     R"("\u0041")", R"("\u001F")", R"("\u000a")",
                          R"("\u0009")", R"("\u000d")", R"("\u0020")", R"("\ud83c\udf0d")",
                          R"("\u00")"};
  for (const char* other : others) {
    EXPECT_FALSE(json::parse(other, json::Form::compact).ok()) << other;
  }
}

TEST(Json, NumbersBeyondIntegersStayAsWritten) {
  for (const char* text : {"1.5", "-0", "1e9", "0.10", "9223372036854775808", "1E+2", "-1.0e-3"}) {
    const Result<Value> value = json::parse(text);
    ASSERT_TRUE(value.ok()) << text;
    ASSERT_NE(value.value().as<Decimal>(), nullptr) << text;
    EXPECT_EQ(value.value().as<Decimal>()->text, text);
  }
}

TEST(Json, RefusesWhatIsNoJson) {
  const std::string bad[] = {"",
                             " ",
                             "nul",
                             "nulll",
                             "tru",
                             "True",
                             "NaN",
                             "Infinity",
                             "-",
                             "+1",
                             "01",
                             "-01",
                             "1.",
                             ".5",
                             "1e",
                             "1e+",
                             "0x1",
                             "\"",
                             "\"\\\"",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\u12g4\"",
                             "\"\\ud800\"",
                             "\"\\ud800x\"",
                             "\"\\ud800\\u0041\"",
                             "\"\\udc00\"",
                             "\"\n\"",
                             std::string("\"\0\"", 3),
                             "'a'",
                             "[",
                             "]",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,1]",
                             "[1 2]",
                             "{",
                             "}",
                             "{\"a\"",
                             "{\"a\":",
                             "{\"a\":1",
                             "{\"a\":1,",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{1:1}",
                             "{\"a\" 1}",
                             "{\"a\":1 \"b\":2}",
                             "1 2",
                             "[]]",
                             "\xef\xbb\xbf[]",
                             "\"\xff\"",
                             "\"\xed\xa0\x80\"",
                             std::string("1\0", 2),
                             "// c\n1",
                             "[1]//"};
  for (const std::string& text : bad) EXPECT_FALSE(json::parse(text).ok()) << text;
}

TEST(Json, RefusesDuplicateKeysInSmallAndLargeObjects) {
  EXPECT_FALSE(json::parse(R"({"a":1,"a":1})").ok());
  EXPECT_FALSE(json::parse(R"([{"x":{"a":1,"b":2,"\u0061":3}}])").ok());
  for (const int count : {15, 16, 17, 200}) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += "\"" + std::to_string(i) + "\":0,";
    EXPECT_TRUE(json::parse(text + "\"x\":0}").ok()) << count;
    EXPECT_FALSE(json::parse(text + "\"0\":0}").ok()) << count;
    EXPECT_FALSE(json::parse(text + "\"" + std::to_string(count - 1) + "\":0}").ok()) << count;
  }
}

TEST(Json, NestsToItsLimitAndNoFurther) {
  const auto lists = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(json::parse(lists(limits::kJsonDepth)).ok());
  EXPECT_FALSE(json::parse(lists(limits::kJsonDepth + 1)).ok());
  const auto objects = [](std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += "{\"a\":";
    return text + "1" + std::string(n, '}');
  };
  EXPECT_TRUE(json::parse(objects(limits::kJsonDepth)).ok());
  EXPECT_FALSE(json::parse(objects(limits::kJsonDepth + 1)).ok());
  EXPECT_FALSE(json::parse(std::string(1'000'000, '[')).ok());
}

TEST(Json, CountsValuesToItsLimitAndNoFurther) {
  const auto list = [](std::size_t items) {  // the list is a value too
    std::string text = "[0";
    text.reserve(2 * items + 2);
    for (std::size_t i = 1; i < items; ++i) text += ",0";
    return text + "]";
  };
  EXPECT_TRUE(json::parse(list(limits::kJsonValues - 1)).ok());
  EXPECT_FALSE(json::parse(list(limits::kJsonValues)).ok());
}

TEST(Json, ReadsBytesToItsLimitAndNoFurther) {
  std::string text = "\"" + std::string(limits::kJsonBytes - 2, 'a') + "\"";
  EXPECT_TRUE(json::parse(text).ok());
  EXPECT_FALSE(json::parse(text + " ").ok());
}

TEST(Json, WriterRefusesTextThatIsNotUtf8) {
  for (const bool as_key : {false, true}) {
    json::Writer out;
    out.begin_object();
    out.key(as_key ? "\xff" : "a");
    out.text(as_key ? "a" : "\xc3");
    out.end_object();
    EXPECT_FALSE(std::move(out).finish().ok());
  }
}

TEST(Json, FindReadsObjectsOnly) {
  const Value object = json::parse(R"({"a":1,"b":null})").value();
  ASSERT_NE(json::find(object, "a"), nullptr);
  EXPECT_EQ(*json::find(object, "a")->as<std::int64_t>(), 1);
  EXPECT_TRUE(json::find(object, "b")->is_null());
  EXPECT_EQ(json::find(object, "c"), nullptr);
  EXPECT_EQ(json::find(json::parse("[1]").value(), "a"), nullptr);
}

TEST(Json, TruncationIsAlwaysAnError) {
  const std::string text = R"({"a":[1,-2,"x\u00e9\n"],"b":{"c":true,"d":null}})";
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_FALSE(json::parse(text.substr(0, cut)).ok()) << cut;
  }
}

TEST(Json, RandomDamageNeverFailsAndWhatIsReadRoundTrips) {
  std::mt19937 random(3);
  const std::string text =
      R"({"a":[1,-2,"x\u00e9\ud83c\udf0d\n"],"b":{"c":true,"d":null,"e":1.5}})";
  int accepted = 0;
  for (int i = 0; i < 6'000; ++i) {
    std::string damaged = text;
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      damaged[random() % damaged.size()] =
          static_cast<char>(random() % 2 ? random() : "{}[],:\"\\01ae"[random() % 12]);
    }
    const Result<Value> value = json::parse(damaged);
    if (!value.ok()) continue;
    ++accepted;
    if (damaged.find('.') != std::string::npos || damaged.find('e') != std::string::npos) continue;
    EXPECT_EQ(rewritten(rewritten(damaged)), rewritten(damaged));
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace hodor
