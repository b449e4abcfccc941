// What the code hash forgets and what it never forgets, and that nothing in a text can look like a
// relation's id or a run value.
#include "hodor/fingerprint/code_hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "hodor/base/limits.hpp"
#include "hodor/fingerprint/relation_positions.hpp"

namespace hodor {
namespace {

constexpr const char* kRun1 = "0b6f1a52-8d0e-4f8c-9a55-000000000001";
constexpr const char* kRun2 = "7c1d3e90-aaaa-4bbb-8ccc-000000000002";
constexpr const char* kPlaceholder = "hodor_invocation_id";

std::string hash(const std::string& sql, Dialect dialect = Dialect::duckdb,
                 const RunValues& run_values = {}, const RelationIds* ids = nullptr) {
  const CodeText text(sql, dialect, run_values);
  return CodeHasher(text, ids).hash();
}

CodeTier tier(const std::string& sql, Dialect dialect = Dialect::duckdb,
              const RunValues& run_values = {}) {
  return CodeText(sql, dialect, run_values).tier();
}

void expect_equal(const std::string& a, const std::string& b, Dialect dialect = Dialect::duckdb) {
  EXPECT_EQ(hash(a, dialect), hash(b, dialect)) << a << "\n" << b;
}
void expect_differ(const std::string& a, const std::string& b, Dialect dialect = Dialect::duckdb) {
  EXPECT_NE(hash(a, dialect), hash(b, dialect)) << a << "\n" << b;
}

TEST(CodeHash, FoldsReservedWordsOnly) {
  expect_equal("SELECT a FROM t", "select a from t");
  expect_differ("select Year from t", "select year from t");
  expect_differ("select A from t", "select a from t");
  expect_differ("select f(a) from t", "select F(a) from t");
  expect_differ("select a join b", "select a JOIN b");  // JOIN can be an alias
  for (const char* sql : {"select a From t", "select a from t", "SELECT a from t"}) {
    expect_differ(sql, "select a FROM t", Dialect::databricks);
  }
}

TEST(CodeHash, KeepsTheCaseOfLabels) {
  expect_differ("select 1 as Select", "select 1 as select");
  expect_differ("select 1 AS \n Select", "select 1 AS \n select");
  expect_differ("select s.End from s", "select s.end from s");
  expect_differ("select s . End from s", "select s . end from s");
  expect_differ("select {End: 1}", "select {end: 1}");
  expect_differ("select f(End := 1)", "select f(end := 1)");
  expect_differ("select f(End => 1)", "select f(end => 1)");
  expect_equal("select cast(1 AS int)", "select CAST(1 as int)");
}

TEST(CodeHash, BelievesAParserAboutKeywords) {
  const CodeText a("select b from c Join d", Dialect::databricks, {});
  const CodeText b("select b from c JOIN d", Dialect::databricks, {});
  EXPECT_NE(CodeHasher(a, nullptr).hash(), CodeHasher(b, nullptr).hash());
  const std::vector<std::uint8_t> keyword = {1, 0, 1, 0, 1, 0, 0};
  EXPECT_EQ(CodeHasher(a, nullptr, {keyword}).hash(), CodeHasher(b, nullptr, {keyword}).hash());
  // A word in no list stays as written, whatever a parser says.
  const std::vector<std::uint8_t> wrong = {1, 1, 1, 1, 1, 1, 0};
  const CodeText c("select B from c Join d", Dialect::databricks, {});
  EXPECT_NE(CodeHasher(a, nullptr, {wrong}).hash(), CodeHasher(c, nullptr, {wrong}).hash());
}

TEST(CodeHash, TokensAreNeverJoinedOrDropped) {
  expect_differ("select ab", "select a b");
  expect_differ("select 1 D", "select 1D", Dialect::databricks);
  expect_differ("select 'a' 'b'", "select 'a'\n'b'");
  expect_differ("select 'a'/**/\n'b'", "select 'a'\n'b'");
  expect_differ("select 'a''b'", "select 'a' 'b'", Dialect::databricks);
  expect_differ("select e'x'", "select e 'x'");
  expect_differ("select a, b", "select b, a");
  expect_differ("select (a)", "select a");
  expect_differ("select a;select b", "select a select b");
  expect_differ("select 1 > > 2", "select 1 >> 2");
  expect_differ("select a-- b\n", "select a - - b");
  expect_equal("select a;", "select a");
  expect_differ(";select a", "select a");
}

// Where engines might cut touching tokens in another way, the touch itself counts.
TEST(CodeHash, TouchingTokensKeepTheirGap) {
  expect_differ("select 1as", "select 1 as");
  expect_differ("select 1-+2", "select 1- +2");
  expect_differ("select ?1", "select ? 1");
  expect_differ("select x'a'", "select x 'a'", Dialect::databricks);
  expect_differ(
      "select a\xc2\xa0"
      "from t",
      "select a from t");  // a no-break space as a gap
  expect_differ(
      "select a\xc2\xa0"
      "from t",
      "select a\xe3\x80\x80"
      "from t");
  expect_equal("select a(b)", "select a ( b )");
}

TEST(CodeHash, HintsStay) {
  expect_differ("select /*+ broadcast(a) */ b from c", "select b from c", Dialect::databricks);
  expect_differ("select /*+ broadcast(a) */ b from c", "select /*+ broadcast(b) */ b from c",
                Dialect::databricks);
  expect_equal("select /*+ broadcast(a) */ b from c", "select b from c", Dialect::duckdb);
}

TEST(CodeHash, TiersNeverMeet) {
  EXPECT_EQ(tier("select 1"), CodeTier::tokens);
  EXPECT_EQ(tier("select 'a"), CodeTier::text);
  expect_differ("select 'a", "select  'a");  // bytes
  EXPECT_EQ(hash("select 'a"), hash("select 'a"));
  expect_differ("", "'");
  EXPECT_EQ(hash(""), hash(" -- x"));
  EXPECT_NE(hash("select 'a", Dialect::duckdb), hash("select 'a", Dialect::databricks));
  const std::string beyond(limits::kSqlBytes + 1, ' ');
  EXPECT_EQ(tier(beyond), CodeTier::text);
  EXPECT_NE(hash(beyond), hash(beyond + ' '));
}

// Lengths, not separators: no content moves from one token to the next.
TEST(CodeHash, PreimageHasOneReading) {
  const std::vector<std::string> texts = {
      "a b",       "ab",      "a 'b'",      "'a b'",       "'a' b",       "\"a\" b",
      "\"a b\"",   "a, b",    "a ,b c",     "'a, b'",      "a.b",         "a.b.c",
      "'a.b'.c",   "a \"b\"", "'token'",    "'relation'",  "'run_value'", "glued",
      "'glued T'", "a 'b' c", "'a' b 'c'",  "'a' 'b' 'c'", "'a b' 'c'",   "'a' 'b c'",
      "1 2",       "12",      "1. 2",       "1 .2",        "1.2",         "a$b",
      "$a b",      "$$a$$ b", "$$a$$b$$$$", "$$a$$$$b$$",  "''",          "'' ''",
      "''''",      "'''' ''"};
  std::set<std::string> seen;
  for (const std::string& text : texts) EXPECT_TRUE(seen.insert(hash(text)).second) << text;
}

// Every token counts, at every place: without it, twice, or swapped with the next, the hash is
// another.
TEST(CodeHash, EveryTokenCounts) {
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    const std::string sql =
        "with c as (select a.b, f(x, 1.5)[2] as y, 'z' || `q` from t join u using (k) where not -a "
        "< 3 "
        "and b in (1, 2)) select *, case when c then 1 else ? end from c order by 1 desc limit 3";
    const Lexed lexed = lex(sql, dialect);
    ASSERT_TRUE(lexed.ok);
    const std::string whole = hash(sql, dialect);
    std::set<std::string> shorter;
    for (std::size_t i = 0; i + 1 < lexed.tokens.size(); ++i) {
      const Token& token = lexed.tokens[i];
      const std::string before = sql.substr(0, token.begin), after = sql.substr(token.end);
      const std::string text(token.text(sql));
      EXPECT_NE(hash(before + " " + after, dialect), whole) << text;
      EXPECT_NE(hash(before + text + " " + text + after, dialect), whole) << text;
      shorter.insert(hash(before + " " + after, dialect));
      const Token& next = lexed.tokens[i + 1];
      if (next.kind == TokenKind::end || text == next.text(sql)) continue;
      const std::string swapped =
          before + " " + std::string(next.text(sql)) + " " + text + " " + sql.substr(next.end);
      EXPECT_NE(hash(swapped, dialect), whole) << text;
    }
    EXPECT_GT(shorter.size(), lexed.tokens.size() - 5);  // neighbours that are alike give one text
  }
}

TEST(CodeHash, TheTierIsInThePreimage) {
  const auto dump = [](const char* sql) {
    const CodeText text(sql, Dialect::duckdb, {});
    return CodeHasher(text, nullptr).preimage().dump();
  };
  EXPECT_NE(dump("select 1").find("t tier = tokens"), std::string::npos) << dump("select 1");
  EXPECT_NE(dump("select '1").find("t tier = text"), std::string::npos) << dump("select '1");
}

TEST(RunValues, AreTheSameInEveryRun) {
  const auto with = [](const std::string& sql, const char* run, Dialect dialect) {
    std::string text = sql;
    for (std::size_t at; (at = text.find("{}")) != std::string::npos;) text.replace(at, 2, run);
    return hash(text, dialect, {{run, kPlaceholder}});
  };
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    for (const char* sql : {"select '{}' as id", "select 'a {} b {}' as id", "select 1 -- {}\n",
                            "select 1 /* {} */ as x", "select '{}{}' as id"}) {
      EXPECT_EQ(with(sql, kRun1, dialect), with(sql, kRun2, dialect)) << sql;
    }
    EXPECT_NE(with("select '{}' as id", kRun1, dialect),
              with("select '{}{}' as id", kRun1, dialect));
    EXPECT_NE(with("select '{}' as id", kRun1, dialect),
              with("select ' {}' as id", kRun1, dialect));
  }
  EXPECT_EQ(with("select \"{}\"", kRun1, Dialect::duckdb),
            with("select \"{}\"", kRun2, Dialect::duckdb));
}

TEST(RunValues, CannotBeForged) {
  const RunValues run_values = {{kRun1, kPlaceholder}, {"2026-01-01 00:00:00", "hodor_started_at"}};
  const auto value = [&](const std::string& sql) { return hash(sql, Dialect::duckdb, run_values); };
  const std::string run = kRun1;
  const std::string placeholder = kPlaceholder;
  EXPECT_NE(value("select '" + run + "'"), value("select '" + placeholder + "'"));
  EXPECT_NE(value("select '" + run + placeholder + "'"),
            value("select '" + placeholder + run + "'"));
  EXPECT_NE(value("select '" + run + "'"), value("select '2026-01-01 00:00:00'"));
  EXPECT_NE(value("select 'x" + run + "'"), value("select '" + run + "x'"));
  EXPECT_NE(value("select \"" + run + "\""), value("select \"" + placeholder + "\""));
  EXPECT_NE(value("'" + run), value("'" + placeholder));  // text tier
  // In a comment both are gone.
  EXPECT_EQ(value("select 1 -- " + run), value("select 1 -- " + placeholder));
}

TEST(RunValues, OutsideOfStringsMakeBytes) {
  const RunValues run_values = {{kRun1, kPlaceholder}};
  const std::string run = kRun1;
  EXPECT_EQ(tier("select '" + run + "'", Dialect::duckdb, run_values), CodeTier::tokens);
  for (const std::string& sql :
       {"select " + run, "select $$" + run + "$$", "select a" + run, "select a from t_" + run, run,
        "select 1" + run + "'x'", "select x'" + run + "'"}) {
    EXPECT_EQ(tier(sql, Dialect::duckdb, run_values), CodeTier::text) << sql;
  }
  // A value or placeholder that could end the string it stands in.
  for (const RunValues& odd :
       {RunValues{{"0123456789' or '1", "x"}}, RunValues{{"0123456789abcdef", "x'y"}},
        RunValues{{"0123456789abcd\\f", "x"}}, RunValues{{"0123456789abcdef", "x\ny"}}}) {
    EXPECT_EQ(tier("select '" + odd[0].first + "'", Dialect::duckdb, odd), CodeTier::text);
  }
}

TEST(RunValues, PlacesAreKnown) {
  const std::string sql = "select '" + std::string(kRun1) + "' as a, 'b' as c";
  const CodeText text(sql, Dialect::duckdb, {{kRun1, kPlaceholder}});
  EXPECT_EQ(text.sql(), "select 'hodor_invocation_id' as a, 'b' as c");
  for (const Token& token : text.tokens()) {
    const bool holds = token.text(text.sql()) == "'hodor_invocation_id'";
    EXPECT_EQ(text.run_values_in(token).size(), holds ? 1u : 0u);
  }
}

TEST(Parts, AreHashedByTheirTokens) {
  const CodeText a("with c as (select 1 as x) select x from c", Dialect::duckdb, {});
  const CodeText b("WITH c AS (SELECT 1 AS x) select x, 2 as y from c;", Dialect::duckdb, {});
  const CodeHasher of_a(a, nullptr), of_b(b, nullptr);
  EXPECT_EQ(of_a.hash_range({4, 8}), of_b.hash_range({4, 8}));
  EXPECT_NE(of_a.hash_range({4, 8}), of_a.hash_range({4, 7}));
  EXPECT_NE(of_a.hash_range({0, 14}), of_a.hash());
  EXPECT_EQ(of_a.hash_range({14, 1000}), of_a.hash_range({1000, 2000}));  // nothing
}

}  // namespace
}  // namespace hodor
