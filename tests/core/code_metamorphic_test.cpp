// Pairs of queries against the code hash: those of must_differ never share one, those of
// token_equal always do.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "hodor/base/json.hpp"
#include "hodor/fingerprint/code_hash.hpp"

namespace hodor {
namespace {

struct Pair {
  Dialect dialect = Dialect::duckdb;
  std::string a, b, why;
};

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

std::string hash_of(const std::string& sql, Dialect dialect) {
  const CodeText text(sql, dialect, {});
  return CodeHasher(text, nullptr).hash();
}

TEST(Metamorphic, DifferentQueriesNeverShareAHash) {
  const std::vector<Pair> pairs = read_pairs("must_differ.jsonl");
  ASSERT_GT(pairs.size(), 690u);
  for (const Pair& pair : pairs) {
    EXPECT_NE(hash_of(pair.a, pair.dialect), hash_of(pair.b, pair.dialect)) << pair.a << "\n"
                                                                            << pair.b << "\n"
                                                                            << pair.why;
  }
}

TEST(Metamorphic, TokenEqualQueriesShareAHash) {
  const std::vector<Pair> pairs = read_pairs("token_equal.jsonl");
  ASSERT_GT(pairs.size(), 60u);
  for (const Pair& pair : pairs) {
    EXPECT_EQ(hash_of(pair.a, pair.dialect), hash_of(pair.b, pair.dialect)) << pair.a << "\n"
                                                                            << pair.b << "\n"
                                                                            << pair.why;
  }
}

TEST(Metamorphic, OneTextInTwoDialectsIsTwoQueries) {
  for (const Pair& pair : read_pairs("token_equal.jsonl")) {
    EXPECT_NE(hash_of(pair.a, Dialect::duckdb), hash_of(pair.a, Dialect::databricks)) << pair.a;
  }
}

}  // namespace
}  // namespace hodor
