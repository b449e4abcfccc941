// Goal: it is known where the order of rows may show in digits.
// Method: a table of texts, tests/rules/exactness.tsv.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "hodor/extract/analyze.hpp"

namespace hodor {
namespace {

std::string show(const Facts& facts) {
  std::string out = facts.inexact ? "inexact" : "exact";
  if (facts.merges) out += " merges";
  if (facts.order_sensitive) out += " sees order";
  return out;
}

TEST(ExtractExactness, Table) {
  std::ifstream file(HODOR_TEST_DATA "/rules/exactness.tsv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const std::string sql = line.substr(tab + 1);
    const Facts facts = analyze(sql, Dialect::duckdb, {}).facts;
    EXPECT_TRUE(facts.exact) << sql;
    EXPECT_EQ(show(facts), line.substr(0, tab)) << sql;
    ++rows;
  }
  EXPECT_GT(rows, 60);
}

TEST(ExtractExactness, WhatIsNotUnderstoodMayDoBoth) {
  for (const char* sql : {"select select from", "select 'x"}) {
    const Facts facts = analyze(sql, Dialect::duckdb, {}).facts;
    EXPECT_TRUE(facts.inexact && facts.merges && facts.order_sensitive) << sql;
  }
}

// On Databricks no version tells the order of rows: a sum there is no reason to build.
TEST(ExtractExactness, DatabricksKnowsNoOrder) {
  EXPECT_FALSE(analyze("select sum(a / 2) from t", Dialect::databricks, {}).facts.order_sensitive);
}

TEST(ExtractExactness, ALongChainOfNamesEnds) {
  std::string sql = "with c0 as (select a / 2 as x0 from t)";
  for (int i = 1; i <= 40; ++i) {
    const std::string now = std::to_string(40 - i), below = std::to_string(41 - i);
    sql += ", d" + now + " as (select y" + below + " as y" + now + " from d" + below + ")";
  }
  EXPECT_TRUE(analyze(sql + " select sum(y0) from d0", Dialect::duckdb, {}).facts.merges);
}

}  // namespace
}  // namespace hodor
