// Goal: every text gives a well-formed tree; nothing throws, recurses without end or stands still.
// Method: golden trees, limits at and beyond, cut and shuffled texts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "golden_file.hpp"
#include "hodor/base/limits.hpp"
#include "hodor/syntax/parser.hpp"

namespace hodor {
namespace {

std::string show(const Tree& tree) {
  std::string out = dump(tree, tree.root);
  for (const Problem& problem : tree.problems) {
    out += "problem at " + std::to_string(problem.token) + ": " + problem.what + "\n";
  }
  return out;
}

TEST(SyntaxParser, GoldenTrees) {
  golden::check("parser", [](const golden::Block& block) {
    const Tree tree = parse_query(block.sql, golden::dialect_of(block));
    EXPECT_EQ(check_shape(tree), "");
    return show(tree);
  });
}

std::string nested(const std::string& open, const std::string& close, std::size_t depth) {
  std::string sql = "select ";
  for (std::size_t i = 0; i < depth; ++i) sql += open;
  sql += "1";
  for (std::size_t i = 0; i < depth; ++i) sql += close;
  return sql;
}

// query and expr of the outermost SELECT are two levels.
TEST(SyntaxParser, NestingAtTheLimitAndBeyond) {
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    const std::string at = nested("(", ")", limits::kSqlNesting - 2);
    EXPECT_TRUE(parse_query(at, dialect).exact());
    const std::string beyond = nested("(", ")", limits::kSqlNesting - 1);
    const Tree tree = parse_query(beyond, dialect);
    EXPECT_FALSE(tree.exact());
    EXPECT_EQ(check_shape(tree), "");
  }
}

TEST(SyntaxParser, DeepTextsOfEveryKindEnd) {
  const std::vector<std::pair<std::string, std::string>> pairs = {{"(", ")"},
                                                                  {"(select ", ")"},
                                                                  {"f(", ")"},
                                                                  {"[", "]"},
                                                                  {"{'a': ", "}"},
                                                                  {"case when ", " then 1 end"},
                                                                  {"cast(", " as int)"},
                                                                  {"a[", "]"},
                                                                  {"(from (", "))"},
                                                                  {"interval (", ") day"},
                                                                  {"exists(select * from (", "))"},
                                                                  {"x in (", ")"},
                                                                  {"lambda x: ", ""},
                                                                  {"not ", ""},
                                                                  {"- ", ""},
                                                                  {"(((", ""},
                                                                  {"a::struct(x ", ")"}};
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    for (const auto& [open, close] : pairs) {
      const std::string sql = nested(open, close, 3000);
      const Tree tree = parse_query(sql, dialect);
      EXPECT_EQ(check_shape(tree), "") << open;
    }
  }
}

// Long lists are not deep.
TEST(SyntaxParser, LongTextsAreExact) {
  std::string unions = "select 1";
  std::string ands = "select a from t where b";
  std::string joins = "select a from t";
  for (int i = 0; i < 5000; ++i) {
    unions += " union all select 1";
    ands += " and b";
    joins += " join t using (a)";
  }
  for (const std::string& sql : {unions, ands, joins}) {
    const Tree tree = parse_query(sql, Dialect::duckdb);
    EXPECT_TRUE(tree.exact());
    EXPECT_EQ(check_shape(tree), "");
  }
}

const char* const kTexts[] = {
    "with recursive a(x) as materialized (select 1 union all by name select x + 1 from a), b as "
    "(values (1, 'x'), (2, $$y$$)) select distinct on (x) x.*, count(*) filter (where y > 1) over "
    "(partition by z order by w rows between 1 preceding and current row) as n, {'k': [1, 2][1:]}, "
    "case when a in (select 1) then b::decimal(1, 2) else c end from a left join lateral (from b) "
    "q on a.x = q.x, t tablesample 10% pivot (sum(a) for b in (1, 2)) group by grouping sets ((a), "
    "()) having max(x) > 1 qualify row_number() over w = 1 window w as () order by 1 desc nulls "
    "last limit 10% offset 1",
    "select * exclude (a) replace (b as c), columns(x -> x like 'a%'), interval '1' day, lambda x: "
    "x "
    "from read_csv('a.csv', x := 1) r(a int), 'b.parquet', c: (pivot t on a using sum(b)) natural "
    "join u at (version => 1) where not exists (table t) and x between 1 and 2 or y is not null",
    "select v:a.b[0]::string, struct(a as b), transform(x, y -> y + 1) from c.s.t version as of 1 "
    "lateral view outer explode(x) e as f cross join delta.`/x` where a rlike 'b' |> where c |> "
    "aggregate sum(a) group by b",
    "merge into t using u on a = b when matched and c then update set x = y when not matched then "
    "insert (a) values (1)"};

// Every text cut after each token, and with each token left out.
TEST(SyntaxParser, DamagedTextsGiveWellFormedTrees) {
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    for (const std::string text : kTexts) {
      const std::vector<Token> tokens = lex(text, dialect).tokens;
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::string cut = text.substr(0, tokens[i].end);
        const std::string without =
            text.substr(0, tokens[i].begin) + " " + text.substr(tokens[i].end);
        const std::string doubled =
            text.substr(0, tokens[i].end) + " " + text.substr(tokens[i].begin);
        for (const std::string& sql : {cut, without, doubled}) {
          EXPECT_EQ(check_shape(parse_query(sql, dialect)), "") << sql;
          const Lexed again = lex(sql, dialect);
          for (const TokenRange& range : split_statements(again.tokens, sql)) {
            EXPECT_EQ(check_shape(parse_statement(sql, dialect, again, range)), "") << sql;
          }
        }
      }
    }
  }
}

TEST(SyntaxParser, EveryTokenOfAnExactTreeIsCovered) {
  const std::string sql = kTexts[1];
  const Tree tree = parse_query(sql, Dialect::duckdb);
  ASSERT_TRUE(tree.exact()) << show(tree);
  EXPECT_EQ(tree[tree.root].begin, 0u);
  EXPECT_EQ(tree[tree.root].end + 1, tree.tokens.size());
}

TEST(SyntaxParser, ConsumedKeywordsAreMarked) {
  const Tree tree = parse_query("select range, a as order_by from t group by all", Dialect::duckdb);
  std::string marked;
  for (std::size_t i = 0; i < tree.tokens.size(); ++i) {
    if (tree.keyword[i] != 0) marked += std::string(tree.tokens[i].text(tree.sql)) + " ";
  }
  EXPECT_EQ(marked, "select as from group by all ");
}

TEST(SyntaxParser, StatementsAreSplitAtSemicolons) {
  const std::string sql = ";select ';';; insert into t values (1) ; ";
  const std::vector<Token> tokens = lex(sql, Dialect::duckdb).tokens;
  const std::vector<TokenRange> ranges = split_statements(tokens, sql);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0], (TokenRange{1, 3}));
  EXPECT_EQ(ranges[1].begin, 5u);
}

}  // namespace
}  // namespace hodor
