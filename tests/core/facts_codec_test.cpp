// The stored form of facts: round trips, every kind of damage refused, merging only loses
// certainty.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "hodor/base/sha256.hpp"
#include "hodor/facts/codec.hpp"

namespace hodor {
namespace {

Facts rich_facts() {
  Facts facts;
  facts.exact = true;
  facts.relations = {{{"db", "raw", "orders"}, false}, {{"t \"x\""}, true}, {{}, false}};
  facts.paths = {"/mnt/délta"};
  facts.files = {{"a/*.csv", "read_csv"}, {"x.parquet", ""}};
  facts.opaque_inputs = {"range(…)\n"};
  facts.volatile_calls = {{VolatileClass::date, VolatileUse::logic, "current_date", ""},
                          {VolatileClass::session, VolatileUse::stamp, "user()", "who"},
                          {VolatileClass::always, VolatileUse::stamp, "now()", "loaded_at"}};
  facts.functions = {"f", "main.g"};
  facts.columns = {"a", ""};
  facts.output_columns = {"B", "a"};
  facts.star = true;
  facts.order_sensitive = true;
  facts.inexact = true;
  facts.merges = true;
  facts.own = {OwnReads::high_water_mark, true};
  return facts;
}

// A frame with a right checksum around a body that the encoder did not write.
std::string framed(const std::string& body) {
  return R"({"v":2,"sum":")" + sha256_hex(body).substr(0, 16) + R"(","facts":)" + body + "}";
}

std::string body_of(const std::string& text) {
  const auto from = text.find("\"facts\":") + 8;
  return text.substr(from, text.size() - from - 1);
}

TEST(FactsCodec, RoundTrips) {
  for (const Facts& facts : {Facts{}, rich_facts()}) {
    const std::string text = encode_facts(facts).value();
    const Result<Facts> again = decode_facts(text);
    ASSERT_TRUE(again.ok()) << again.error();
    EXPECT_EQ(again.value(), facts);
    EXPECT_EQ(encode_facts(again.value()).value(), text);
  }
}

TEST(FactsCodec, DefaultFactsAreNotExact) {
  EXPECT_FALSE(decode_facts(encode_facts(Facts{}).value()).value().exact);
}

TEST(FactsCodec, TheStoredFormIsFixed) {
  EXPECT_EQ(encode_facts(Facts{}).value(),
            R"({"v":2,"sum":")" + sha256_hex(body_of(encode_facts(Facts{}).value())).substr(0, 16) +
                R"(","facts":{"exact":false,"relations":[],"paths":[],"files":[],)"
                R"("opaque_inputs":[],"volatile_calls":[],"functions":[],"columns":[],)"
                R"("output_columns":[],"star":false,"order_sensitive":false,)"
                R"("inexact":false,"merges":false,"own":["none",false]}})");
}

TEST(FactsCodec, RefusesTextThatIsNotUtf8) {
  Facts facts;
  facts.columns = {"\xff"};
  EXPECT_FALSE(encode_facts(facts).ok());
}

TEST(FactsCodec, EveryTruncationIsRefused) {
  const std::string text = encode_facts(rich_facts()).value();
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    ASSERT_FALSE(decode_facts(text.substr(0, cut)).ok()) << cut;
  }
  EXPECT_FALSE(decode_facts(text + " ").ok());
  EXPECT_FALSE(decode_facts(" " + text).ok());
  EXPECT_FALSE(decode_facts(text + text).ok());
}

TEST(FactsCodec, EveryOtherByteIsRefused) {
  const std::string text = encode_facts(rich_facts()).value();
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int change : {1, 0x20, 0x80, 0xff}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      ASSERT_FALSE(decode_facts(damaged).ok()) << at;
    }
  }
}

TEST(FactsCodec, RandomDamageIsRefused) {
  std::mt19937 random(17);
  const std::string text = encode_facts(rich_facts()).value();
  for (int i = 0; i < 3'000; ++i) {
    std::string damaged = text;
    const std::size_t at = random() % text.size();
    const std::size_t length = random() % 20;
    switch (random() % 3) {
      case 0:
        damaged.erase(at, length + 1);
        break;
      case 1:
        damaged.insert(at, std::string(length + 1, static_cast<char>(random())));
        break;
      default:
        damaged = damaged.substr(at) + damaged.substr(0, at);
    }
    if (damaged == text) continue;
    ASSERT_FALSE(decode_facts(damaged).ok()) << damaged;
  }
}

TEST(FactsCodec, AnotherVersionIsRefused) {
  std::string text = encode_facts(rich_facts()).value();
  text[5] = '9';
  EXPECT_FALSE(decode_facts(text).ok());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Right checksums: the layout itself is strict too.
TEST(FactsCodec, AnotherLayoutIsRefused) {
  const std::string body = body_of(encode_facts(rich_facts()).value());
  ASSERT_TRUE(decode_facts(framed(body)).ok());
  const std::string bodies[] = {
      "",
      "{}",
      "[]",
      "null",
      "{",
      "1",
      replaced(body, "{\"exact\":true,", "{"),
      replaced(body, "\"exact\":true", "\"exact\":1"),
      replaced(body, "\"exact\":true", "\"exact\":\"true\""),
      replaced(body, "\"exact\":true", "\"exact\":null"),
      replaced(body, "\"exact\":true,", "\"exact\":true,\"exact\":true,"),
      replaced(body, "\"exact\"", "\"Exact\""),
      replaced(body, "\"star\":true,\"order_sensitive\":true",
               "\"order_sensitive\":true,\"star\":true"),
      replaced(body, "\"paths\":[", "\"paths\":[1,"),
      replaced(body, "\"paths\":[\"/mnt/délta\"]", "\"paths\":{}"),
      replaced(body, "[[\"db\",\"raw\",\"orders\"],false]", "[[\"db\",\"raw\",\"orders\"]]"),
      replaced(body, "[[\"db\",\"raw\",\"orders\"],false]",
               "[[\"db\",\"raw\",\"orders\"],false,1]"),
      replaced(body, "[[\"db\",\"raw\",\"orders\"],false]", "[\"db\",false]"),
      replaced(body, "[\"date\"", "[\"Date\""),
      replaced(body, "\"logic\"", "\"\""),
      replaced(body, "\"high_water_mark\"", "\"some\""),
      replaced(body, "\"high_water_mark\"", "1"),
      replaced(body, "\"who\"]", "\"who\",\"x\"]"),
      replaced(body, "\"own\":[", "\"own\": ["),
      replaced(body, "\"a/*.csv\"", "\"a\\/*.csv\""),
      replaced(body, "}", ",\"more\":1}"),
      body + " "};
  for (const std::string& other : bodies) EXPECT_FALSE(decode_facts(framed(other)).ok()) << other;
}

TEST(FactsMerge, NothingMergedIsNotExact) { EXPECT_EQ(merge_facts({}), Facts{}); }

TEST(FactsMerge, OneTextStaysItself) {
  Facts facts = rich_facts();
  facts.relations = {{{"a"}, false}};
  facts.columns = {"a", "b"};
  EXPECT_EQ(merge_facts({&facts}), facts);
}

TEST(FactsMerge, UnitesWithoutDuplicatesAndOrdersThem) {
  Facts first, second;
  first.exact = second.exact = true;
  first.relations = {{{"b"}, false}};
  second.relations = {{{"a"}, true}, {{"b"}, false}, {{"b"}, true}};
  first.paths = {"q"}, second.paths = {"p", "q"};
  first.files = {{"y", ""}}, second.files = {{"x", "f"}};
  first.opaque_inputs = {"o"}, second.opaque_inputs = {"n"};
  first.volatile_calls = {{VolatileClass::always, VolatileUse::stamp, "now()", "t"}};
  second.volatile_calls = {{VolatileClass::always, VolatileUse::logic, "now()", ""}};
  first.functions = {"g"}, second.functions = {"f"};
  first.columns = {"d"}, second.columns = {"c"};
  first.output_columns = {"z", "y"}, second.output_columns = {"w"};
  const Facts merged = merge_facts({&first, &second});
  EXPECT_TRUE(merged.exact);
  EXPECT_EQ(merged.relations.size(), 3u);
  EXPECT_EQ(merged.relations.front().parts.front(), "a");
  EXPECT_EQ(merged.paths, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(merged.files.size(), 2u);
  EXPECT_EQ(merged.files.front().pattern, "x");
  EXPECT_EQ(merged.opaque_inputs, (std::vector<std::string>{"n", "o"}));
  EXPECT_EQ(merged.volatile_calls.size(), 2u);
  EXPECT_EQ(merged.functions, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(merged.columns, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(merged.output_columns, first.output_columns);
}

TEST(FactsMerge, AnyDoubtIsADoubtOfTheWhole) {
  Facts sure;
  sure.exact = true;
  for (const bool doubt_first : {false, true}) {
    const auto merged = [&](const Facts& doubt) {
      return doubt_first ? merge_facts({&doubt, &sure}) : merge_facts({&sure, &doubt});
    };
    Facts doubt = sure;
    doubt.exact = false;
    EXPECT_FALSE(merged(doubt).exact);
    doubt = sure;
    doubt.star = true;
    EXPECT_TRUE(merged(doubt).star);
    doubt = sure;
    doubt.order_sensitive = true;
    EXPECT_TRUE(merged(doubt).order_sensitive);
    doubt = sure;
    doubt.inexact = true;
    EXPECT_TRUE(merged(doubt).inexact);
    EXPECT_FALSE(merged(doubt).order_sensitive);
    doubt = sure;
    doubt.merges = true;
    EXPECT_TRUE(merged(doubt).merges);
    doubt = sure;
    doubt.own = {OwnReads::other, false};
    EXPECT_EQ(merged(doubt).own.reads, OwnReads::other);
    doubt.own = {OwnReads::high_water_mark, true};
    EXPECT_EQ(merged(doubt).own, doubt.own);
  }
}

TEST(FactsMerge, WhatOneTextMakesAnotherMayMerge) {
  Facts one;
  one.inexact = true;
  Facts other;
  other.merges = true;
  EXPECT_TRUE(merge_facts({&one, &other}).order_sensitive);
  EXPECT_TRUE(merge_facts({&other, &one}).order_sensitive);
  other.inexact = true;  // of one text it is known whether the two meet
  EXPECT_FALSE(merge_facts({&other}).order_sensitive);
}

TEST(FactsMerge, AStampThatAnotherTextNamesIsLogic) {
  Facts model;
  model.columns = {"id"};
  model.volatile_calls = {{VolatileClass::always, VolatileUse::stamp, "now()", "Loaded_At"}};
  Facts hook;
  hook.columns = {"id"};
  EXPECT_EQ(merge_facts({&model, &hook}).volatile_calls, model.volatile_calls);
  hook.columns = {"id", "loaded_at"};
  for (const auto& all : {std::vector{&model, &hook}, std::vector{&hook, &model}}) {
    std::vector<const Facts*> texts(all.begin(), all.end());
    const std::vector<VolatileCall> calls = merge_facts(texts).volatile_calls;
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].use, VolatileUse::logic);
  }
}

TEST(FactsMerge, TwoHighWaterMarksAreNone) {
  Facts one;
  one.own = {OwnReads::high_water_mark, true};
  EXPECT_EQ(merge_facts({&one, &one}).own, (OwnReadFacts{OwnReads::other, false}));
}

TEST(FactsNames, AreTheStoredOnes) {
  EXPECT_STREQ(name_of(VolatileClass::date), "date");
  EXPECT_STREQ(name_of(VolatileClass::session), "session");
  EXPECT_STREQ(name_of(VolatileClass::always), "always");
  EXPECT_STREQ(name_of(VolatileUse::stamp), "stamp");
  EXPECT_STREQ(name_of(VolatileUse::logic), "logic");
  EXPECT_STREQ(name_of(OwnReads::none), "none");
  EXPECT_STREQ(name_of(OwnReads::high_water_mark), "high_water_mark");
  EXPECT_STREQ(name_of(OwnReads::other), "other");
  EXPECT_STREQ(name_of(StatementKind::query), "query");
  EXPECT_STREQ(name_of(StatementKind::harmless), "harmless");
  EXPECT_STREQ(name_of(StatementKind::write), "write");
  EXPECT_STREQ(name_of(StatementKind::session), "session");
  EXPECT_STREQ(name_of(StatementKind::loads), "loads");
  EXPECT_STREQ(name_of(StatementKind::opaque), "opaque");
}

}  // namespace
}  // namespace hodor
