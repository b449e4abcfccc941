// Relation names that become the ids of their nodes: where, and where never.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/fingerprint/relation_positions.hpp"

namespace hodor {
namespace {

const RelationIds& ids() {
  static const RelationIds kIds({{{"dev", "main", "orders"}, "model.shop.orders"},
                                 {{"prod", "main", "orders"}, "model.shop.orders"},
                                 {{"dev", "main", "items"}, "model.shop.items"},
                                 {{"prod", "main", "items"}, "model.shop.items"},
                                 {{"prod", "main", "orders_v2"}, "model.shop.orders"},
                                 {{"dev", "main", "both"}, "model.shop.a"},
                                 {{"DEV", "main", "Both"}, "model.shop.b"},
                                 {{"main", "short"}, "model.shop.short"}});
  return kIds;
}

std::string hash(const std::string& sql, Dialect dialect = Dialect::duckdb) {
  const CodeText text(sql, dialect, {});
  return CodeHasher(text, &ids()).hash();
}

// `%` stands for the database.
std::string in(const std::string& sql, const std::string& database) {
  std::string text = sql;
  for (std::size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, database);
  return text;
}
void expect_replaced(const std::string& sql, Dialect dialect = Dialect::duckdb) {
  EXPECT_EQ(hash(in(sql, "dev"), dialect), hash(in(sql, "prod"), dialect)) << sql;
}
void expect_kept(const std::string& sql, Dialect dialect = Dialect::duckdb) {
  EXPECT_NE(hash(in(sql, "dev"), dialect), hash(in(sql, "prod"), dialect)) << sql;
}

TEST(Relations, BecomeTheirNode) {
  for (const char* sql : {"select a from %.main.orders",
                          "select a from %.main.orders;",
                          "from %.main.orders",
                          "select a from %.main.orders as o where a = 1",
                          "select o.a from %.main.orders o",
                          "select a from x join %.main.orders using (id)",
                          "select a from %.main.orders o join %.main.items i on o.id = i.id",
                          "select a from %.main.orders, %.main.items",
                          "select a from (%.main.orders)",
                          "select a from (%.main.orders cross join %.main.items)",
                          "select a from (select b from %.main.orders)",
                          "select (select max(a) from %.main.orders)",
                          "with c as (select a from %.main.orders) select a from c",
                          "with c as (from %.main.orders) select a from c",
                          "select a from t where b in (select c from %.main.orders)",
                          "select a from t where exists (from %.main.orders)",
                          "select a from t union all select a from %.main.orders",
                          "table %.main.orders",
                          "insert into %.main.orders select 1",
                          "select a from % . main /* x */ . orders",
                          "select a from %.main.orders left join %.main.items on true",
                          "select a from t join u on t.x = u.x join %.main.orders on true",
                          "select a from %.main.orders o order by o.a, o.b"}) {
    expect_replaced(sql);
  }
  expect_replaced("select a from `%`.`main`.`orders` o", Dialect::databricks);
  expect_replaced("select a from %.main.orders lateral view explode(m) e as k, v",
                  Dialect::databricks);
}

TEST(Relations, AreComparedUnquotedAndWithoutCase) {
  EXPECT_EQ(hash("select a from \"dev\".\"main\".orders"), hash("select a from PROD.Main.orders"));
  // The last part is the name by which the rest of the text knows the table: it stays as written.
  EXPECT_NE(hash("select a from dev.main.orders"), hash("select a from dev.main.\"orders\""));
  EXPECT_NE(hash("select a from dev.main.orders"), hash("select a from dev.main.Orders"));
  EXPECT_NE(hash("select orders from dev.main.orders"),
            hash("select orders from prod.main.orders_v2"));
}

TEST(Relations, StayWhereTheyCouldBeValues) {
  for (const char* sql : {"select %.main.orders from t",
                          "select %.main.orders.a from t",
                          "select a from t where %.main.orders = 1",
                          "select a from t order by a, %.main.orders",
                          "select a from t group by a, %.main.orders",
                          "select extract(year from %.main.orders)",
                          "select trim(from %.main.orders)",
                          "select trim(both 'x' from %.main.orders) from t",
                          "select a is distinct from %.main.orders from t",
                          "select a from t where a is not distinct from %.main.orders",
                          "select f(a, %.main.orders) from t",
                          "select a from f(%.main.orders)",
                          "select a from f(x, %.main.orders)",
                          "select a from t join u on f(a, %.main.orders)",
                          "select a from t join u on (%.main.orders)",
                          "select a from %.main.orders()",
                          "select a from %.main.orders.deep",
                          "select a from x.%.main.orders",
                          "select a from t where a in (%.main.orders, 2)",
                          "select 1 as from, %.main.orders",
                          "select '%.main.orders'",
                          "select a from t qualify b, %.main.orders",
                          "select a from t limit 1 offset %.main.orders",
                          "select t.from, %.main.orders"}) {
    expect_kept(sql);
  }
  expect_kept("select a from t |> select a, %.main.orders", Dialect::databricks);
  expect_kept("select a from t sort by a, %.main.orders", Dialect::databricks);
}

TEST(Relations, StayWhenTheTextNamesTheirDatabaseOrSchema) {
  expect_kept("select %.orders.a from %.main.orders");
  expect_kept("select %.main.orders.a from %.main.orders");
  expect_kept("select main.orders.a from %.main.orders");
  expect_kept("select a as Main from %.main.orders");
  // ... but not when only other table names do.
  EXPECT_EQ(hash("select a from dev.main.orders join raw.main.x on true"),
            hash("select a from prod.main.orders join raw.main.x on true"));
}

TEST(Relations, StayWhenTheyAreNotOneNode) {
  for (const char* sql : {"select a from main.orders", "select a from main.short"}) {
    const CodeText text(sql, Dialect::duckdb, {});
    EXPECT_TRUE(CodeHasher(text, &ids()).replaced().empty()) << sql;
  }
  expect_kept("select a from %.main.unknown");
  EXPECT_NE(hash("select a from dev.main.both"), hash("select a from prod.main.both"));
  // One node under two names in one text: which is which would be lost.
  EXPECT_NE(hash("select a from dev.main.orders o join prod.main.orders p on true"),
            hash("select a from prod.main.orders o join dev.main.orders p on true"));
  EXPECT_NE(hash("select a from dev.main.orders"), hash("select a from dev.main.items"));
}

TEST(Relations, IdsCannotBeForged) {
  EXPECT_NE(hash("select a from dev.main.orders"), hash("select a from model.shop.orders"));
  EXPECT_NE(hash("select a from dev.main.orders"), hash("select a from \"model.shop.orders\""));
  EXPECT_NE(hash("select a from dev.main.orders"),
            hash("select a from \"model.shop.orders\" orders"));
  const CodeText text("select a from dev.main.orders", Dialect::duckdb, {});
  EXPECT_NE(CodeHasher(text, &ids()).hash(), CodeHasher(text, nullptr).hash());
}

TEST(Relations, WithRunValuesStay) {
  const std::string run = "0b6f1a52-8d0e-4f8c-9a55-000000000001";
  const RelationIds with_placeholder({{{"dev", "main", "hodor_run"}, "model.shop.x"}});
  const CodeText text("select a from dev.main.\"" + run + "\"", Dialect::duckdb,
                      {{run, "hodor_run"}});
  EXPECT_TRUE(CodeHasher(text, &with_placeholder).replaced().empty());
}

TEST(RelationIds, NamesAreLists) {
  const RelationIds quoted(
      {{{"a.b", "c", "d"}, "x"}, {{"a", "b", "c"}, "y"}, {{"a", "b", "c"}, "y"}});
  EXPECT_EQ(*quoted.find({"A.B", "c", "D"}), "x");
  EXPECT_EQ(quoted.find({"a", "b.c", "d"}), nullptr);
  EXPECT_EQ(*quoted.find({"a", "b", "c"}), "y");
  EXPECT_EQ(quoted.find({}), nullptr);
  EXPECT_EQ(quoted.find({"a", "b"}), nullptr);
  const RelationIds wide({{{"\xc3\x89", "b", "c"}, "x"}});
  EXPECT_EQ(wide.find({"\xc3\xa9", "b", "c"}), nullptr);  // only ASCII is folded
}

TEST(RelationPositions, AreTokenRanges) {
  const std::string sql = "select a from x.y.z, p.q where b";
  const auto found = find_relation_positions(sql, lex(sql, Dialect::duckdb).tokens);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (TokenRange{3, 8}));
  for (const char* odd :
       {"", ")", "))) from a.b.c", "from", "from a", "from a.", "from a.b.", "(((", ".", ","}) {
    find_relation_positions(odd, lex(odd, Dialect::duckdb).tokens);
  }
}

}  // namespace
}  // namespace hodor
