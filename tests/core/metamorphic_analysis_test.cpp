// Pairs of queries against the code hash: those of must_differ and canonical_differ never share
// one, those of token_equal always do, those of canonical_equal do on the canonical tier.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "hodor/base/json.hpp"
#include "hodor/extract/analyze.hpp"

namespace hodor {
namespace {

struct Pair {
  Dialect dialect = Dialect::duckdb;
  std::string a, b, why;
};

const char* name_of(Dialect dialect) {
  return dialect == Dialect::duckdb ? "duckdb" : "databricks";
}

std::string text_of(const Value& object, std::string_view key) {
  const Value* found = json::find(object, key);
  const auto* text = found == nullptr ? nullptr : std::get_if<std::string>(&found->content);
  return text == nullptr ? std::string() : *text;
}

std::vector<Pair> read_pairs(const std::string& name) {
  std::ifstream file(std::string(HODOR_TEST_DATA) + "/metamorphic/" + name);
  std::vector<Pair> pairs;
  for (std::string line; std::getline(file, line);) {
    const Result<Value> parsed = json::parse(line);
    EXPECT_TRUE(parsed.ok()) << line;
    if (!parsed.ok()) continue;
    const std::string dialect = text_of(parsed.value(), "dialect");
    EXPECT_TRUE(dialect == "duckdb" || dialect == "databricks") << line;
    pairs.push_back({dialect == "duckdb" ? Dialect::duckdb : Dialect::databricks,
                     text_of(parsed.value(), "a"), text_of(parsed.value(), "b"),
                     text_of(parsed.value(), "why")});
  }
  return pairs;
}

// The columns of the tables that the pairs read.
KnownColumns read_columns() {
  std::ifstream file(std::string(HODOR_TEST_DATA) + "/metamorphic/tables.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const Result<Value> parsed = json::parse(text);
  EXPECT_TRUE(parsed.ok());
  KnownColumns columns;
  if (!parsed.ok()) return columns;
  for (const MapEntry& entry : *parsed.value().as<ValueMap>()) {
    std::vector<std::string>& names = columns[*entry.key.as<std::string>()];
    for (const Value& name : *entry.value.as<ValueList>()) names.push_back(*name.as<std::string>());
  }
  EXPECT_EQ(columns.size(), 5U);
  return columns;
}

enum class Form { tokens, canonical };

std::string hash_of(const std::string& sql, Dialect dialect, Form form) {
  static const KnownColumns columns = read_columns();
  AnalyzeOptions options;
  options.usual_settings = form != Form::tokens;
  options.columns = columns;
  return analyze(sql, dialect, options).code_hash;
}

void expect(const std::string& file, std::size_t least, Form form, bool equal) {
  const std::vector<Pair> pairs = read_pairs(file);
  ASSERT_GE(pairs.size(), least);
  for (const Pair& pair : pairs) {
    const bool same = hash_of(pair.a, pair.dialect, form) == hash_of(pair.b, pair.dialect, form);
    EXPECT_EQ(same, equal) << name_of(pair.dialect) << '\n'
                           << pair.a << '\n'
                           << pair.b << '\n'
                           << pair.why;
  }
}

TEST(AnalysisMetamorphic, DifferentQueriesNeverShareAHash) {
  for (const Form form : {Form::tokens, Form::canonical}) {
    expect("must_differ.jsonl", 698, form, false);
    expect("canonical_differ.jsonl", 120, form, false);
  }
}

TEST(AnalysisMetamorphic, TokenEqualQueriesShareAHash) {
  for (const Form form : {Form::tokens, Form::canonical}) {
    expect("token_equal.jsonl", 63, form, true);
  }
}

TEST(AnalysisMetamorphic, QueriesOfOneCanonicalFormShareAHash) {
  expect("canonical_equal.jsonl", 130, Form::canonical, true);
  expect("judged_equal.jsonl", 1, Form::canonical, true);
}

TEST(AnalysisMetamorphic, RewritesMakeQueriesOneForm) {
  expect("rewritten_equal.jsonl", 200, Form::canonical, true);
}

}  // namespace
}  // namespace hodor
