// Goal: analyze() joins tier, hash, facts and parts, and keeps its promises on texts it cannot
// read.
#include <gtest/gtest.h>

#include <string>

#include "hodor/extract/analyze.hpp"
#include "hodor/extract/facts.hpp"
#include "hodor/syntax/parser.hpp"

namespace hodor {
namespace {

const Part* part(const Analysis& analysis, PartKind kind, const std::string& name) {
  for (const Part& found : analysis.parts) {
    if (found.kind == kind && found.name == name) return &found;
  }
  return nullptr;
}

TEST(ExtractAnalyze, ATextThatCannotBeLexedHasNoFacts) {
  AnalyzeOptions options;
  options.own = {"d", "s", "t"};
  const Analysis analysis = analyze("select 'a", Dialect::duckdb, options);
  EXPECT_EQ(analysis.tier, AnalysisTier::text);
  EXPECT_FALSE(analysis.facts.exact);
  EXPECT_TRUE(analysis.facts.star);
  EXPECT_TRUE(analysis.facts.order_sensitive);
  EXPECT_EQ(analysis.facts.own.reads, OwnReads::other);
  EXPECT_EQ(analysis.code_hash.size(), 64u);
}

TEST(ExtractAnalyze, WhatIsNotUnderstoodIsTheWorstCase) {
  AnalyzeOptions options;
  options.own = {"d", "s", "t"};
  const Analysis analysis = analyze("select a, now() as n frob (x", Dialect::duckdb, options);
  EXPECT_EQ(analysis.tier, AnalysisTier::tokens);
  EXPECT_FALSE(analysis.facts.exact);
  EXPECT_TRUE(analysis.facts.star);
  EXPECT_TRUE(analysis.facts.order_sensitive);
  EXPECT_TRUE(analysis.facts.output_columns.empty());
  EXPECT_EQ(analysis.facts.own.reads, OwnReads::other);
  ASSERT_EQ(analysis.facts.volatile_calls.size(), 1u);
  EXPECT_EQ(analysis.facts.volatile_calls[0].use, VolatileUse::logic);
}

TEST(ExtractAnalyze, PartsTellWhatChanged) {
  const std::string before =
      "with a as (select 1 as x), b as (select x from a) select x, 2 as y, x + 1 from b";
  const std::string cte =
      "with a as (select 3 as x), b as (select x from a) select x, 2 as y, x + 1 from b";
  const std::string column =
      "with a as (select 1 as x), b as (select x from a) select x, 4 as y, x + 1 from b";
  const std::string body =
      "with a as (select 1 as x), b as (select x from a) select x, 2 as y, x + 1 from a";
  const Analysis old = analyze(before, Dialect::duckdb, {});
  ASSERT_EQ(old.parts.size(), 7u);
  ASSERT_NE(part(old, PartKind::column, "#3"), nullptr);
  const auto changed = [&](const std::string& sql) {
    std::string names;
    const Analysis now = analyze(sql, Dialect::duckdb, {});
    for (const Part& found : now.parts) {
      const Part* was = part(old, found.kind, found.name);
      if (was == nullptr || was->hash != found.hash) names += "[" + found.name + "]";
    }
    return names;
  };
  EXPECT_EQ(changed(before), "");
  EXPECT_EQ(changed(cte), "[a]");
  EXPECT_EQ(changed(column), "[y]");
  EXPECT_EQ(changed(body), "[from][]");
  EXPECT_EQ(
      changed("with a as (select 1 as x), b as (select x from a) select 2 as y, x, x + 1 from b"),
      "[]");  // the order of columns is the body's
}

TEST(ExtractAnalyze, PartsForgetSpacesCaseAndSpelling) {
  const auto parts = [](const std::string& sql) {
    std::string text;
    for (const Part& found : analyze(sql, Dialect::duckdb, {}).parts) {
      text += found.name + " " + found.hash + "\n";
    }
    return text;
  };
  const std::string sql =
      "with a as (select id, v::int as w from t where (x != 1)) select id, sum(w) as s from a "
      "inner join b using (id) group by id having sum(w) > 1 order by id asc limit 3";
  EXPECT_EQ(parts(sql),
            parts("WITH a AS (\n SELECT ID, CAST(V AS integer) AS w FROM T WHERE x <> 1 "
                  ")\nSELECT id,SUM(w) s FROM A JOIN b USING(id) GROUP BY (id) "
                  "HAVING (sum(w) > 1) ORDER BY id LIMIT 3;"));
  for (const char* name : {"from", "group by", "having", "order by", "limit"}) {
    EXPECT_NE(part(analyze(sql, Dialect::duckdb, {}), PartKind::clause, name), nullptr) << name;
  }
}

// The case of a consumed keyword folds; that of a name, or inside of an unnamed column, does not.
TEST(ExtractAnalyze, OnlyConsumedKeywordsFold) {
  const auto hash = [](const std::string& sql) {
    return analyze(sql, Dialect::duckdb, {}).code_hash;
  };
  EXPECT_EQ(hash("select a from t group by a rows"), hash("select a from t group by a rows"));
  EXPECT_EQ(
      hash("select sum(a) over (order by b rows between 1 preceding and current row) as s from t"),
      hash("select sum(a) over (order by b ROWS between 1 PRECEDING and CURRENT ROW) as s from t"));
  EXPECT_NE(
      hash("select sum(a) over (order by b rows between 1 preceding and current row) from t"),
      hash("select sum(a) over (order by b ROWS between 1 PRECEDING and CURRENT ROW) from t"));
  EXPECT_NE(hash("select 1 as rows"), hash("select 1 as ROWS"));
  EXPECT_NE(hash("select rows from t"), hash("select ROWS from t"));
}

TEST(ExtractAnalyze, RelationNamesStandInTablePositionOnly) {
  const std::string sql =
      "with c as (select a.b.c from a.b.c) select a.b.c from c, a.b.d join (x.y) on a.b.c";
  const Tree tree = parse_query(sql, Dialect::duckdb);
  std::string names;
  for (const TokenRange& range : relation_name_ranges(tree)) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) names += tree.token_text(i);
    names += " ";
  }
  EXPECT_EQ(names, "a.b.c c a.b.d x.y ");
}

TEST(ExtractAnalyze, EqualFactsHaveEqualLists) {
  const Facts one = analyze("select b.y, a.x from s.a, s.b", Dialect::duckdb, {}).facts;
  const Facts two = analyze("select b.y, a.x from s.b, s.a, s.a as c", Dialect::duckdb, {}).facts;
  EXPECT_EQ(one, two);
}

TEST(ExtractAnalyze, StatementsOfAnUnreadableTextAreOneOpaqueOne) {
  const StatementsAnalysis analysis = analyze_statements("grant 'x", Dialect::duckdb, {});
  ASSERT_EQ(analysis.statements.size(), 1u);
  EXPECT_EQ(analysis.statements[0].kind, StatementKind::opaque);
  EXPECT_FALSE(analysis.statements[0].facts.exact);
}

// Each query has twice the columns of the one below.
TEST(ExtractAnalyze, StarsOverStarsEnd) {
  std::string sql = "with c0 as (select a, b from (values (1, 2)) v(a, b))";
  for (int i = 1; i <= 40; ++i) {
    const std::string below = "c" + std::to_string(i - 1);
    sql += ", c" + std::to_string(i) + " as (select * from " + below + " x, " + below + " y)";
  }
  AnalyzeOptions options;
  options.usual_settings = true;
  const Analysis analysis = analyze(sql + " select * from c40", Dialect::duckdb, options);
  EXPECT_TRUE(analysis.facts.exact);
  EXPECT_TRUE(analysis.facts.output_columns.empty());
}

// Beyond the limits of following names nothing is renamed, and it does not take long to find out.
TEST(ExtractAnalyze, ManyJoinsKeepTheirNames) {
  const auto text = [](const std::string& last) {
    std::string sql = "select a0.a as x from t a0";
    for (int i = 1; i <= 600; ++i) {
      const std::string now = i == 600 ? last : "a" + std::to_string(i);
      sql += " join t " + now + " on " + now + ".a = a0.a";
    }
    AnalyzeOptions options;
    options.usual_settings = true;
    return analyze(sql, Dialect::duckdb, options);
  };
  EXPECT_TRUE(text("z").assumes.empty());
  EXPECT_NE(text("z").code_hash, text("y").code_hash);
}

}  // namespace
}  // namespace hodor
