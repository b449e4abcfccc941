// Goal: no commit counts as harmless that changed what a reader sees. Method: commits that Delta
// wrote, with the truth measured beside them (tests/databricks/measure_history.py), in every
// encoding in which a connection may hand over its maps; and made-up ones for what local Delta
// cannot do.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "hodor/base/json.hpp"
#include "hodor/delta/commit.hpp"

namespace hodor::delta {
namespace {

std::vector<Value> lines_of(const std::string& name) {
  std::ifstream file(std::string(HODOR_TEST_DATA) + "/databricks/" + name);
  std::vector<Value> lines;
  for (std::string line; std::getline(file, line);) {
    const Result<Value> parsed = json::parse(line);
    EXPECT_TRUE(parsed.ok()) << line;
    if (parsed.ok()) lines.push_back(parsed.value());
  }
  return lines;
}

std::string text_of(const Value& object, std::string_view key) {
  const Value* found = json::find(object, key);
  const auto* text = found == nullptr ? nullptr : found->as<std::string>();
  return text == nullptr ? std::string() : *text;
}

bool is(const Value& object, std::string_view key, bool value) {
  const Value* found = json::find(object, key);
  const auto* flag = found == nullptr ? nullptr : found->as<bool>();
  return flag != nullptr && *flag == value;
}

HistoryRow row_of(const Value& line) {
  HistoryRow row;
  const Value* operation = json::find(line, "operation");
  if (operation != nullptr && !operation->is_null()) row.operation = text_of(line, "operation");
  row.parameters = *json::find(line, "parameters");
  row.metrics = *json::find(line, "metrics");
  return row;
}

// The same map as a list of pairs, as a list of {key, value}, and as texts.
std::vector<Value> encodings_of(const Value& value) {
  std::vector<Value> encodings = {value};
  const auto* map = value.as<ValueMap>();
  if (map == nullptr) return encodings;
  ValueList pairs, entries;
  json::Writer as_map, as_pairs;
  as_map.begin_object();
  as_pairs.begin_array();
  for (const MapEntry& entry : *map) {
    pairs.push_back({ValueList{entry.key, entry.value}});
    entries.push_back(
        {ValueMap{{{std::string("key")}, entry.key}, {{std::string("value")}, entry.value}}});
    as_map.key(*entry.key.as<std::string>());
    as_pairs.begin_array();
    as_pairs.text(*entry.key.as<std::string>());
    for (json::Writer* out : {&as_map, &as_pairs}) {
      if (const auto* text = entry.value.as<std::string>()) {
        out->text(*text);
      } else if (const auto* number = entry.value.as<std::int64_t>()) {
        out->integer(*number);
      } else {
        out->null();
      }
    }
    as_pairs.end_array();
  }
  as_map.end_object();
  as_pairs.end_array();
  encodings.push_back({pairs});
  encodings.push_back({entries});
  encodings.push_back({std::move(as_map).finish().value()});
  encodings.push_back({std::move(as_pairs).finish().value()});
  return encodings;
}

std::set<Effect> effects_of(const HistoryRow& row) {
  std::set<Effect> effects;
  for (const Value& parameters : encodings_of(row.parameters)) {
    for (const Value& metrics : encodings_of(row.metrics)) {
      HistoryRow encoded = row;
      encoded.parameters = parameters;
      encoded.metrics = metrics;
      effects.insert(effect_of(encoded));
    }
  }
  return effects;
}

Effect effect_named(const std::string& name) {
  if (name == "none") return Effect::none;
  return name == "schema" ? Effect::schema : Effect::data;
}

TEST(DeltaCommit, NothingThatDeltaWroteIsHarmlessAndChangedSomething) {
  std::size_t harmless = 0, changes = 0;
  std::set<std::string> needless;
  for (const Value& line : lines_of("history_measured.jsonl")) {
    if (json::find(line, "operation") == nullptr) continue;  // the engine refused the case
    const std::set<Effect> effects = effects_of(row_of(line));
    const std::string name = text_of(line, "case") + ": " + text_of(line, "sql");
    ASSERT_EQ(effects.size(), 1u) << name;
    const Effect effect = *effects.begin();
    if (effect != Effect::data) {
      ++harmless;
      // Columns may have changed, which the schema part of a version says; nothing else may have.
      EXPECT_TRUE(is(line, "rows_changed", false) || is(line, "schema_changed", true)) << name;
    }
    if (is_maintenance(text_of(line, "operation"))) {
      EXPECT_TRUE(is(line, "rows_changed", false)) << name;
      EXPECT_TRUE(is(line, "schema_changed", false)) << name;
    }
    if (effect == Effect::data) {
      ++changes;
      const bool is_needless = is(line, "rows_changed", false) && is(line, "schema_changed", false);
      if (is_needless) needless.insert(text_of(line, "operation"));
    }
  }
  EXPECT_GE(harmless, 25u);
  EXPECT_GE(changes, 40u);
  // What is built although the rows came out the same: a wider list here is a loss of reuse.
  for (const std::string& operation : needless) {
    EXPECT_TRUE(operation == "WRITE" || operation == "MERGE" || operation == "UPDATE" ||
                operation == "TRUNCATE" || operation == "RESTORE" || operation == "CLONE" ||
                operation.find("TABLE") != std::string::npos)
        << operation;
  }
}

TEST(DeltaCommit, SyntheticCases) {
  const std::vector<Value> lines = lines_of("history_synthetic.jsonl");
  ASSERT_GE(lines.size(), 55u);
  for (const Value& line : lines) {
    const std::set<Effect> effects = effects_of(row_of(line));
    ASSERT_EQ(effects.size(), 1u) << text_of(line, "case");
    EXPECT_EQ(*effects.begin(), effect_named(text_of(line, "effect"))) << text_of(line, "case");
  }
}

TEST(DeltaCommit, EveryNameOfTheListIsHarmlessAndNoneElse) {
  for (const char* name : {
#define HARMLESS(name) name,
#include "hodor/delta/harmless_operations.inc"
#undef HARMLESS
       }) {
    HistoryRow row;
    row.operation = name;
    EXPECT_EQ(effect_of(row), Effect::none) << name;
    row.operation = std::string(name) + "S";
    EXPECT_EQ(effect_of(row), Effect::data) << name;
  }
}

TEST(DeltaCommit, OnlyWhatLooksLikeAMapIsOne) {
  EXPECT_FALSE(Fields::read({}).readable());
  EXPECT_FALSE(Fields::read({std::string("{")}).readable());
  EXPECT_FALSE(Fields::read({std::int64_t{1}}).readable());
  EXPECT_FALSE(Fields::read({ValueList{{std::string("a")}}}).readable());
  EXPECT_TRUE(Fields::read({ValueList{}}).readable());
  EXPECT_TRUE(Fields::read({std::string("{}")}).readable());
  const Fields fields = Fields::read({std::string(R"({"a":"1","b":null,"c":true})")});
  ASSERT_TRUE(fields.readable());
  EXPECT_EQ(*fields.find("a"), "1");
  EXPECT_EQ(fields.find("b"), nullptr);
  EXPECT_EQ(*fields.find("c"), "true");
}

}  // namespace
}  // namespace hodor::delta
