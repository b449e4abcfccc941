// Follows reads through views and functions: what is found, what is opaque, and how names resolve.
// The expectations about DuckDB's name resolution were taken from DuckDB 2.0.1 itself.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lineage_fixture.hpp"

namespace hodor {
namespace {

Facts with_volatile(Facts facts, VolatileClass volatile_class, VolatileUse use) {
  facts.volatile_calls.push_back(VolatileCall{volatile_class, use, "f()", ""});
  return facts;
}

TEST(RelationKey, IsLowerCaseAndUnambiguous) {
  EXPECT_EQ(relation_key({"W", "Raw", "Orders"}), "w.raw.orders");
  EXPECT_EQ(relation_key({"w", "a.b", "c"}), "w.\"a.b\".c");
  EXPECT_EQ(relation_key({"w", "a", "b.c"}), "w.a.\"b.c\"");
  EXPECT_EQ(relation_key({"w", "", "c"}), "w.\"\".c");
  EXPECT_EQ(relation_key({"w", "q\"Q", "c"}), "w.\"q\"\"q\".c");
  EXPECT_EQ(relation_key({"view:w", "a", "b"}), "\"view:w\".a.b");
  EXPECT_EQ(relation_key({"w", "s", "\xC3\x84"}), "w.s.\xC3\x84") << "only ASCII is folded";
  EXPECT_EQ(relation_key({}), "");
}

TEST_F(LineageTest, TablesAreTheirOwnGroups) {
  EXPECT_EQ(trace_of({{"w", "main", "t"}, {"W", "RAW", "Orders"}}),
            (Lines{"table w.main.t", "table w.raw.orders"}));
  EXPECT_EQ(trace(exact()), Lines{});
}

TEST_F(LineageTest, ATextThatIsNotUnderstoodIsOpaqueBesideWhatIsKnown) {
  Facts facts = reading({{"w", "main", "t"}});
  facts.exact = false;
  EXPECT_EQ(trace(facts), (Lines{"table w.main.t", "opaque the text is not understood"}));
}

TEST_F(LineageTest, AMissingRelationIsOpaque) {
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "gone"}));
  catalog.remove({"W", "main", "T"});
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "t"}));
}

// Gaps of dbt-integration: what a view reads and calls was invisible to its readers.
TEST_F(LineageTest, AViewOverAFileGivesTheFileToItsReaders) {
  Facts facts = exact();
  facts.files.push_back(FileRead{"x.csv", "read_csv"});
  view({"w", "main", "v"}, facts);
  EXPECT_EQ(trace_of({{"w", "main", "v"}}),
            (Lines{"view w.main.v #h", "file read_csv:x.csv @w.main.v"}));
}

TEST_F(LineageTest, AViewOverAPlainTableNameGivesTheTableToItsReaders) {
  view({"w", "main", "v"}, reading({{"w", "raw", "orders"}}));
  EXPECT_EQ(trace_of({{"w", "main", "v"}}),
            (Lines{"table w.raw.orders @w.main.v", "view w.main.v #h"}));
}

TEST_F(LineageTest, VolatileCallsOfAViewCountForItsReaders) {
  view({"w", "main", "v"}, with_volatile(exact(), VolatileClass::date, VolatileUse::logic));
  view({"w", "main", "stamped"}, with_volatile(exact(), VolatileClass::always, VolatileUse::stamp));
  EXPECT_EQ(trace_of({{"w", "main", "v"}}), (Lines{"view w.main.v #h", "volatile date @w.main.v"}));
  EXPECT_EQ(trace_of({{"w", "main", "stamped"}}),
            (Lines{"view w.main.stamped #h", "volatile always @w.main.stamped"}));
}

TEST_F(LineageTest, AConstantViewHasNoVersionedTable) {
  view({"w", "main", "v"}, exact());
  EXPECT_EQ(trace_of({{"w", "main", "v"}}), Lines{"view w.main.v #h"});
}

TEST_F(LineageTest, ASourceThatIsAViewIsFollowed) {
  view({"w", "raw", "src"}, reading({{"raw", "orders"}}));
  EXPECT_EQ(trace_of({{"w", "raw", "src"}}),
            (Lines{"table w.raw.orders @w.raw.src", "view w.raw.src #h"}));
}

TEST_F(LineageTest, APlainNameOfAModelInsteadOfARefIsFollowed) {
  EXPECT_EQ(trace_of({{"raw", "orders"}, {"t"}}), (Lines{"table w.main.t", "table w.raw.orders"}));
}

TEST_F(LineageTest, OwnStampsAreExemptAndOwnLogicIsNot) {
  EXPECT_EQ(trace(with_volatile(exact(), VolatileClass::always, VolatileUse::stamp)), Lines{});
  EXPECT_EQ(trace(with_volatile(exact(), VolatileClass::session, VolatileUse::logic)),
            Lines{"volatile session"});
}

TEST_F(LineageTest, ViewsOverViewsBelongToTheDirectOne) {
  view({"w", "main", "inner"}, reading({{"w", "main", "t"}}));
  view({"w", "main", "outer"}, reading({{"w", "main", "inner"}, {"w", "raw", "orders"}}));
  EXPECT_EQ(trace_of({{"w", "main", "outer"}}),
            (Lines{"table w.main.t @w.main.outer", "table w.raw.orders @w.main.outer",
                   "view w.main.inner @w.main.outer #h", "view w.main.outer #h"}));
  EXPECT_EQ(
      trace_of({{"w", "main", "outer"}, {"w", "main", "t"}}),
      (Lines{"table w.main.t @w.main.outer", "table w.main.t", "table w.raw.orders @w.main.outer",
             "view w.main.inner @w.main.outer #h", "view w.main.outer #h"}));
}

TEST_F(LineageTest, EverythingThatIsOpaqueInAViewReachesTheReader) {
  Facts opaque = exact();
  opaque.opaque_inputs.push_back("read_files(...)");
  view({"w", "main", "v"}, opaque);
  EXPECT_EQ(trace_of({{"w", "main", "v"}}),
            (Lines{"view w.main.v #h", "opaque read_files(...) @w.main.v"}));
  catalog.put_view({"w", "main", "v"}, "h", std::nullopt);
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "v"}));
  Facts inexact = reading({{"w", "main", "t"}});
  inexact.exact = false;
  view({"w", "main", "v"}, inexact);
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "v"}));
  Facts path = exact();
  path.paths.push_back("/data/t");
  view({"w", "main", "v"}, path);
  EXPECT_EQ(trace_of({{"w", "main", "v"}}),
            (Lines{"view w.main.v #h", "file delta:/data/t @w.main.v"}));
  EXPECT_EQ(trace(path), Lines{"file delta:/data/t"});
  EXPECT_TRUE(is_opaque(opaque));
}

TEST_F(LineageTest, APinnedReadIsOpaque) {
  Facts facts = exact();
  facts.relations.push_back(RelationName{{"w", "main", "t"}, true});
  EXPECT_EQ(trace(facts), Lines{"opaque w.main.t"});
  EXPECT_EQ(trace(facts, {"w", "main", "t"}), Lines{"opaque w.main.t"}) << "own relation too";
  view({"w", "main", "v"}, facts);
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "v"}));
}

TEST_F(LineageTest, OwnReadsAreLeftOutUnlessThroughAView) {
  EXPECT_EQ(trace(reading({{"w", "main", "t"}, {"w", "raw", "orders"}}), {"w", "main", "t"}),
            Lines{"table w.raw.orders"});
  EXPECT_EQ(trace(reading({{"t"}}), {"W", "MAIN", "T"}), Lines{});
  EXPECT_EQ(trace(reading({{"w", "main", "node"}})), Lines{}) << "not built yet";
  view({"w", "main", "v"}, reading({{"w", "main", "t"}}));
  EXPECT_EQ(trace(reading({{"w", "main", "v"}}), {"w", "main", "t"}),
            (Lines{"view w.main.v #h", "opaque its own relation through w.main.v @w.main.v"}));
  view({"w", "main", "a"}, reading({{"w", "main", "v"}}));
  EXPECT_EQ(trace(reading({{"w", "main", "a"}}), {"w", "main", "v"}),
            (Lines{"table w.main.t @w.main.a", "view w.main.a #h",
                   "opaque its own relation through w.main.a @w.main.a"}));
  Facts nameless = exact();
  nameless.relations.push_back(RelationName{});
  EXPECT_EQ(trace(nameless, {}).size(), 1U) << "a test has no relation of its own";
}

TEST_F(LineageTest, ACycleIsOpaque) {
  view({"w", "main", "a"}, reading({{"w", "main", "b"}}));
  view({"w", "main", "b"}, reading({{"w", "main", "a"}, {"w", "main", "t"}}));
  view({"w", "main", "self"}, reading({{"w", "main", "self"}}));
  for (const char* name : {"a", "b", "a", "self"}) EXPECT_TRUE(is_opaque(Parts{"w", "main", name}));
}

TEST_F(LineageTest, ADiamondIsNoCycleAndStaysSmall) {
  view({"w", "main", "v0"}, reading({{"w", "main", "t"}}));
  for (int i = 1; i < kMaxViewDepth; ++i) {
    const std::string below = "v" + std::to_string(i - 1);
    view({"w", "main", "v" + std::to_string(i)}, reading({{"w", "main", below}, {below}}));
  }
  const std::string top = "v" + std::to_string(kMaxViewDepth - 1);
  const Lines found = trace_of({{"w", "main", top}});
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kMaxViewDepth) + 1);
  EXPECT_FALSE(is_opaque(Parts{"w", "main", top}));
  view({"w", "main", "one_more"}, reading({{"w", "main", top}}));
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "one_more"}));
  EXPECT_FALSE(is_opaque(Parts{"w", "main", top})) << "the limit counts from the reader";
}

TEST_F(LineageTest, AViewOfVeryManyInputsIsOpaque) {
  Facts facts = exact();
  for (std::size_t i = 0; i < kMaxInputsOfView; ++i) {
    facts.files.push_back(FileRead{std::to_string(i), "read_csv"});
  }
  view({"w", "main", "wide"}, facts);
  EXPECT_FALSE(is_opaque(Parts{"w", "main", "wide"}));
  facts.functions.push_back("f");
  catalog.put_function("f", "h", exact());
  view({"w", "main", "wide"}, facts);
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "wide"}));
}

TEST_F(LineageTest, WhatIsPutAgainIsSeen) {
  view({"w", "main", "inner"}, reading({{"w", "main", "t"}}));
  view({"w", "main", "v"}, reading({{"w", "main", "inner"}}));
  const Facts facts = reading({{"w", "main", "v"}});
  const Lines before = trace(facts);
  EXPECT_EQ(before.size(), 3U);
  catalog.put_table({"w", "main", "t"});
  EXPECT_EQ(trace(facts), before);
  view({"w", "main", "inner"}, reading({{"w", "raw", "orders"}}));
  EXPECT_EQ(trace(facts), (Lines{"table w.raw.orders @w.main.v", "view w.main.inner @w.main.v #h",
                                 "view w.main.v #h"}));
  catalog.put_view({"w", "main", "inner"}, "h2", reading({{"w", "raw", "orders"}}));
  EXPECT_EQ(trace(facts)[1], "view w.main.inner @w.main.v #h2");
  catalog.put_table({"w", "main", "inner"});
  EXPECT_EQ(trace(facts), (Lines{"table w.main.inner @w.main.v", "view w.main.v #h"}));
  catalog.remove({"w", "main", "inner"});
  EXPECT_TRUE(is_opaque(facts));
  view({"w", "main", "inner"}, exact());
  EXPECT_FALSE(is_opaque(facts));
  catalog.put_function("lower", "h", std::nullopt);
  EXPECT_TRUE(is_opaque(facts)) << "a function that hides an operator may stand in any text";
  catalog.clear_functions();
  EXPECT_FALSE(is_opaque(facts));
}

TEST_F(LineageTest, TypesAreThoseOfTheWarehouse) {
  view({"w", "main", "v"}, exact());
  EXPECT_EQ(catalog.type_of({"W", "main", "V"}), "view");
  EXPECT_EQ(catalog.type_of({"w", "main", "t"}), "table");
  EXPECT_EQ(catalog.type_of({"w", "main", "gone"}), "");
  EXPECT_EQ(catalog.type_of({"t"}), "");
  catalog.put_table({"w", "main", "v"});
  EXPECT_EQ(catalog.type_of({"w", "main", "v"}), "table");
  catalog.put_table({"two", "parts"});
  EXPECT_EQ(catalog.type_of({"two", "parts"}), "");
}

// ---- Partial names.

TEST_F(LineageTest, TwoPartsInAViewMeanTheViewsDatabase) {
  catalog.put_table({"x", "raw", "orders"});
  view({"x", "main", "v"}, reading({{"raw", "orders"}}));
  EXPECT_EQ(trace_of({{"x", "main", "v"}}),
            (Lines{"table x.raw.orders @x.main.v", "view x.main.v #h"}));
  view({"x", "main", "v"}, reading({{"raw", "other"}}));
  catalog.put_table({"w", "raw", "other"});
  EXPECT_TRUE(is_opaque(Parts{"x", "main", "v"})) << "never the session's database";
  EXPECT_EQ(trace_of({{"raw", "orders"}}), Lines{"table w.raw.orders"});
}

TEST_F(LineageTest, TwoPartsMayNameADatabase) {
  catalog.put_table({"x", "main", "only"});
  catalog.put_table({"x", "s", "deep"});
  EXPECT_EQ(trace_of({{"x", "only"}}), Lines{"table x.main.only"});
  EXPECT_TRUE(is_opaque(Parts{"x", "deep"}));
  view({"x", "s", "v"}, reading({{"x", "deep"}}));
  EXPECT_EQ(trace_of({{"x", "s", "v"}}), (Lines{"table x.s.deep @x.s.v", "view x.s.v #h"}));
  catalog.put_table({"x", "main", "deep"});
  EXPECT_TRUE(is_opaque(Parts{"x", "s", "v"})) << "fits two relations";
}

TEST_F(LineageTest, ASchemaNamedLikeADatabaseIsOpaque) {
  EXPECT_FALSE(is_opaque(Parts{"raw", "orders"}));
  catalog.put_table({"raw", "main", "else"});
  EXPECT_TRUE(is_opaque(Parts{"raw", "orders"}));
  EXPECT_TRUE(is_opaque(Parts{"raw", "else"}));
  EXPECT_FALSE(is_opaque(Parts{"w", "raw", "orders"}));
  view({"w", "main", "v"}, reading({{"raw", "orders"}}));
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "v"}));
}

TEST_F(LineageTest, OnePartIsLookedUpInTheViewsSchemaFirst) {
  catalog.put_table({"w", "s", "t"});
  view({"w", "s", "v"}, reading({{"t"}}));
  EXPECT_EQ(trace_of({{"w", "s", "v"}}), (Lines{"table w.s.t @w.s.v", "view w.s.v #h"}));
  catalog.remove({"w", "s", "t"});
  EXPECT_EQ(trace_of({{"w", "s", "v"}}), (Lines{"table w.main.t @w.s.v", "view w.s.v #h"}));
  Catalog other("w", "s");
  other.set_builtin_functions({});
  other.put_table({"w", "main", "m"});
  EXPECT_EQ(lines(other.trace(reading({{"m"}}), {})), Lines{"table w.main.m"});
  other.put_table({"w", "s", "m"});
  EXPECT_EQ(lines(other.trace(reading({{"m"}}), {})), Lines{"table w.s.m"});
}

TEST_F(LineageTest, TemporaryObjectsHideNamesWithoutADatabase) {
  view({"x", "main", "v"}, reading({{"main", "m"}}));
  catalog.put_table({"x", "main", "m"});
  EXPECT_FALSE(is_opaque(Parts{"x", "main", "v"}));
  catalog.put_table({"temp", "main", "m"});
  catalog.put_table({"temp", "main", "t"});
  EXPECT_TRUE(is_opaque(Parts{"x", "main", "v"}));
  EXPECT_TRUE(is_opaque(Parts{"t"}));
  EXPECT_TRUE(is_opaque(Parts{"main", "t"}));
  EXPECT_TRUE(is_opaque(Parts{"temp", "t"}));
  EXPECT_TRUE(is_opaque(Parts{"temp", "main", "t"}));
  EXPECT_FALSE(is_opaque(Parts{"w", "main", "t"}));
}

TEST_F(LineageTest, HiddenTemporaryObjectsMakeEveryPartialNameOpaque) {
  view({"w", "main", "v"}, reading({{"raw", "orders"}}));
  EXPECT_FALSE(is_opaque(Parts{"w", "main", "v"}));
  catalog.distrust_partial_names();
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "v"}));
  EXPECT_TRUE(is_opaque(Parts{"t"}));
  EXPECT_TRUE(is_opaque(Parts{"raw", "orders"}));
  EXPECT_FALSE(is_opaque(Parts{"w", "raw", "orders"}));
}

TEST_F(LineageTest, ARelationNamedLikeAFileWinsOverTheFile) {
  Facts quoted = reading({{"x.csv"}});
  Facts literal = exact();
  literal.files.push_back(FileRead{"x.csv", ""});
  EXPECT_EQ(trace(quoted), Lines{"file :x.csv"});
  EXPECT_EQ(trace(literal), Lines{"file :x.csv"});
  for (const char* name :
       {"A.Parquet", "a.csv.gz", "a.ndjson.zst", "dir/*.json", "a.tsv", "a.jsonl"}) {
    EXPECT_EQ(trace_of({{name}}), Lines{std::string("file :") + name});
  }
  for (const char* name : {"df", "csv", "a.csv.bak", "a.gz"}) EXPECT_TRUE(is_opaque(Parts{name}));
  view({"w", "main", "v"}, literal);
  EXPECT_EQ(trace_of({{"w", "main", "v"}}), (Lines{"view w.main.v #h", "file :x.csv @w.main.v"}));
  catalog.put_table({"w", "main", "x.csv"});
  EXPECT_EQ(trace(quoted), Lines{"table w.main.\"x.csv\""});
  EXPECT_EQ(trace(literal), Lines{"table w.main.\"x.csv\""});
  EXPECT_EQ(trace_of({{"w", "main", "v"}}),
            (Lines{"table w.main.\"x.csv\" @w.main.v", "view w.main.v #h"}));
}

TEST_F(LineageTest, TheEnginesOwnRelationsAreOpaque) {
  catalog.put_view({"w", "information_schema", "tables"}, "h", exact());
  catalog.put_view({"system", "main", "duckdb_tables"}, "h", exact());
  catalog.put_table({"w", "main", "duckdb_tables"});
  for (const Parts& parts :
       {Parts{"information_schema", "tables"}, Parts{"duckdb_tables"},
        Parts{"w", "INFORMATION_SCHEMA", "tables"}, Parts{"pg_catalog", "pg_class"},
        Parts{"system", "main", "duckdb_tables"}, Parts{"main", "duckdb_tables"},
        Parts{"system", "billing", "usage"}, Parts{"sqlite_master"}}) {
    EXPECT_TRUE(is_opaque(parts)) << relation_key(parts);
  }
  EXPECT_FALSE(is_opaque(Parts{"w", "main", "duckdb_tables"})) << "a table of the user";
}

TEST_F(LineageTest, NamesOfOtherLengthsAreOpaque) {
  EXPECT_TRUE(is_opaque(Parts{"a", "w", "main", "t"}));
  EXPECT_TRUE(is_opaque(Parts{}));
}

// ---- Functions.

TEST_F(LineageTest, BuiltInFunctionsAreNoInputsAndUnknownOnesAreOpaque) {
  EXPECT_EQ(trace(calling("lower")), Lines{});
  EXPECT_EQ(trace(calling("coalesce")), Lines{}) << "part of the grammar, in no list";
  EXPECT_EQ(trace(calling("mystery")),
            Lines{"opaque the function mystery is not known @function:mystery"});
  EXPECT_TRUE(is_opaque(calling("main.lower"))) << "a qualified name is never built in";
  catalog.set_builtin_functions({"main.lower", "coalesce"});
  EXPECT_TRUE(is_opaque(calling("main.lower"))) << "whatever the list says";
  EXPECT_TRUE(is_opaque(calling("duckdb_tables")));
  EXPECT_TRUE(is_opaque(calling("query_table")));
  catalog.set_builtin_functions(
      {"duckdb_tables", "query_table", "query", "pragma_table_info", "Sum"});
  for (const char* name : {"duckdb_tables", "query_table", "query", "pragma_table_info", "lower"}) {
    EXPECT_TRUE(is_opaque(calling(name))) << name;
  }
  EXPECT_FALSE(is_opaque(calling("sum")));
}

TEST_F(LineageTest, AUserFunctionGivesWhatItsBodyReads) {
  Facts body =
      with_volatile(reading({{"w", "raw", "orders"}}), VolatileClass::date, VolatileUse::stamp);
  body.functions.push_back("inner");
  body.files.push_back(FileRead{"x.csv", "read_csv"});
  catalog.put_function("Outer", "h1", body);
  catalog.put_function("inner", "h2", reading({{"w", "main", "t"}}));
  EXPECT_EQ(trace(calling("outer")),
            (Lines{"table w.main.t @function:outer", "table w.raw.orders @function:outer",
                   "file read_csv:x.csv @function:outer", "function inner @function:outer #h2",
                   "function outer @function:outer #h1", "volatile date @function:outer"}));
  view({"w", "main", "v"}, calling("inner"));
  EXPECT_EQ(trace_of({{"w", "main", "v"}}), (Lines{"table w.main.t @w.main.v", "view w.main.v #h",
                                                   "function inner @w.main.v #h2"}));
}

TEST_F(LineageTest, AUserFunctionThatIsNotUnderstoodIsOpaque) {
  catalog.put_function("f", "h", std::nullopt);
  EXPECT_EQ(trace(calling("f")),
            (Lines{"function f @function:f #h",
                   "opaque the definition of f is not understood @function:f"}));
  catalog.put_function("g", "h", Facts{});
  EXPECT_TRUE(is_opaque(calling("g")));
}

TEST_F(LineageTest, AUserFunctionHidesABuiltInOneInEveryText) {
  catalog.put_function("date_part", "h", reading({{"w", "main", "t"}}));
  EXPECT_EQ(trace(calling("date_part")), (Lines{"table w.main.t @function:date_part",
                                                "function date_part @function:date_part #h"}));
  EXPECT_EQ(trace(exact()), trace(calling("date_part")))
      << "extract(...) calls it without its name";
  catalog.clear_functions();
  catalog.put_function("||", "h", exact());
  EXPECT_EQ(trace(exact()), Lines{"function || @function:|| #h"}) << "operators are functions";
  view({"w", "main", "v"}, exact());
  EXPECT_EQ(trace_of({{"w", "main", "v"}})[1], "function || @function:|| #h");
  catalog.clear_functions();
  catalog.put_function("sum", "h", exact());
  catalog.set_builtin_functions({"lower"});
  EXPECT_EQ(trace(exact()), Lines{}) << "it hides nothing any more";
}

TEST_F(LineageTest, HiddenOperatorsReachReadersThroughViews) {
  view({"w", "main", "v"}, exact());
  catalog.put_function("+", "h", reading({{"w", "raw", "orders"}}));
  const Lines found = trace_of({{"w", "main", "v"}});
  EXPECT_EQ(found,
            (Lines{"table w.raw.orders @function:+", "table w.raw.orders @w.main.v",
                   "view w.main.v #h", "function + @function:+ #h", "function + @w.main.v #h"}));
  EXPECT_FALSE(is_opaque(Parts{"w", "main", "v"}))
      << "its own body does not count as a call of itself";
}

TEST_F(LineageTest, EveryFunctionThatACallMayMeanCounts) {
  catalog.put_function("w.main.f", "h1", exact());
  catalog.put_function("w.s.f", "h2", reading({{"w", "main", "t"}}));
  EXPECT_EQ(trace(calling("f")),
            (Lines{"table w.main.t @function:f", "function w.main.f @function:f #h1",
                   "function w.s.f @function:f #h2"}));
  EXPECT_EQ(trace(calling("s.f")).size(), 3U);
}

TEST_F(LineageTest, OverloadsCountTogetherUntilFunctionsAreListedAgain) {
  catalog.put_function("f", "b", exact());
  catalog.put_function("f", "a", reading({{"w", "main", "t"}}));
  EXPECT_EQ(trace(calling("f")),
            (Lines{"table w.main.t @function:f", "function f @function:f #a+b"}));
  catalog.put_function("f", "a", exact());
  EXPECT_EQ(trace(calling("f")), Lines{"function f @function:f #a+b"});
  catalog.clear_functions();
  EXPECT_TRUE(is_opaque(calling("f")));
}

TEST_F(LineageTest, AFunctionThatCallsItselfIsOpaque) {
  catalog.put_function("f", "h", calling("g"));
  catalog.put_function("g", "h", calling("f"));
  EXPECT_TRUE(is_opaque(calling("f")));
  view({"w", "main", "v"}, calling("k"));
  catalog.put_function("k", "h", reading({{"w", "main", "v"}}));
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "v"}));
}

TEST_F(LineageTest, NamesInABodyResolveWhereTheFunctionIsCalled) {
  catalog.put_table({"x", "main", "t"});
  catalog.put_function("tm", "h", reading({{"main", "t"}}));
  view({"x", "main", "v"}, calling("tm"));
  EXPECT_EQ(trace(calling("tm"))[0], "table w.main.t @function:tm");
  EXPECT_EQ(trace_of({{"x", "main", "v"}})[0], "table x.main.t @x.main.v");
  Facts both = reading({{"x", "main", "v"}});
  both.functions.push_back("tm");
  view({"w", "main", "both"}, both);
  const Lines found = trace_of({{"w", "main", "both"}});
  EXPECT_EQ(found[0], "table w.main.t @w.main.both");
  EXPECT_EQ(found[1], "table x.main.t @w.main.both");
}

TEST_F(LineageTest, OwnReadsThroughAFunctionAreOpaque) {
  catalog.put_function("f", "h", reading({{"w", "main", "t"}}));
  EXPECT_EQ(trace(calling("f"), {"w", "main", "t"}),
            (Lines{"function f @function:f #h",
                   "opaque its own relation through function:f @function:f"}));
}

// ---- Loss of knowledge.

TEST_F(LineageTest, AfterInvalidationEverythingIsOpaqueUntilListedAgain) {
  catalog.put_function("f", "h", exact());
  catalog.invalidate();
  EXPECT_TRUE(is_opaque(exact()));
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "t"}));
  EXPECT_TRUE(catalog.order_sensitive(exact()));
  catalog.put_table({"w", "main", "t"});
  EXPECT_TRUE(is_opaque(Parts{"w", "main", "t"})) << "one relation is not a listing";
  catalog.set_builtin_functions({"lower"});
  EXPECT_EQ(trace_of({{"w", "main", "t"}}), Lines{"table w.main.t"});
  EXPECT_TRUE(is_opaque(calling("f")));
  EXPECT_TRUE(is_opaque(Parts{"w", "raw", "orders"}));
}

TEST_F(LineageTest, ANewCatalogIsOpaqueUntilListed) {
  Catalog fresh("w", "main");
  fresh.put_table({"w", "main", "t"});
  const Facts facts = reading({{"w", "main", "t"}});
  EXPECT_EQ(lines(fresh.trace(facts, {})),
            (Lines{"table w.main.t", "opaque the warehouse was not listed"}));
  EXPECT_TRUE(fresh.order_sensitive(facts));
  fresh.set_builtin_functions({});
  EXPECT_EQ(lines(fresh.trace(facts, {})), Lines{"table w.main.t"});
  EXPECT_FALSE(fresh.order_sensitive(facts));
  EXPECT_EQ(lines(fresh.trace(calling("lower"), {})).size(), 1U);
}

TEST_F(LineageTest, EqualFactsGiveEqualSortedInputs) {
  view({"w", "main", "v"}, reading({{"w", "main", "t"}, {"t"}, {"main", "t"}}));
  Facts facts = reading({{"w", "main", "v"}, {"v"}, {"w", "main", "t"}, {"main", "t"}});
  const std::vector<Input> inputs = catalog.trace(facts, {});
  EXPECT_EQ(inputs.size(), 3U);
  for (std::size_t i = 1; i < inputs.size(); ++i) EXPECT_LT(inputs[i - 1], inputs[i]);
}

}  // namespace
}  // namespace hodor
