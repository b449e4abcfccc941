// The version token: grammar, round trip, and the three answers of a comparison.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "hodor/decision/data_version.hpp"

namespace hodor {
namespace {

constexpr Sensitivity kAll[] = {Sensitivity::rows, Sensitivity::rows_and_order,
                                Sensitivity::schema_only};

TEST(DataVersion, UnknownEqualsNothing) {
  const DataVersion unknown;
  const DataVersion known = DataVersion::known("1", "", "s");
  for (const Sensitivity sensitivity : kAll) {
    EXPECT_EQ(unknown.compare(unknown, sensitivity), Comparison::unknown);
    EXPECT_EQ(unknown.compare(known, sensitivity), Comparison::unknown);
    EXPECT_EQ(known.compare(unknown, sensitivity), Comparison::unknown);
    EXPECT_EQ(known.compare(known, sensitivity), Comparison::same);
  }
  EXPECT_FALSE(unknown.is_known());
  EXPECT_EQ(unknown.token(), "");
}

TEST(DataVersion, TokensAreReadAsTheyWereWritten) {
  for (const auto& [data, order, schema] :
       {std::tuple("3:17", "5", "ab"), std::tuple("3", "", "ab"), std::tuple("", "", "ab"),
        std::tuple("3", "", ""), std::tuple("", "5", "ab"), std::tuple("3", "5", "")}) {
    const DataVersion version = DataVersion::known(data, order, schema);
    ASSERT_TRUE(version.is_known());
    EXPECT_EQ(version.token(), std::string("1;") + data + ";" + order + ";" + schema);
    EXPECT_EQ(DataVersion::parse(version.token()).token(), version.token());
  }
}

TEST(DataVersion, WhatDoesNotFollowTheGrammarIsUnknown) {
  for (const char* token : {"", "1", "1;", "1;2", "1;2;3", "1;2;3;4;", "1;2;3;4;5", "2;2;3;4",
                            ";2;3;4", "11;2;3;4", " 1;2;3;4", "1;;;", "1;;5;", "null", "?"}) {
    EXPECT_FALSE(DataVersion::parse(token).is_known()) << token;
  }
  EXPECT_FALSE(DataVersion::known("a;b", "", "s").is_known());
  EXPECT_FALSE(DataVersion::known("a", ";", "s").is_known());
  EXPECT_FALSE(DataVersion::known("a", "", "s;").is_known());
  EXPECT_FALSE(DataVersion::known("", "", "").is_known());
  EXPECT_FALSE(DataVersion::known("", "5", "").is_known());
}

TEST(DataVersion, PartsCountByTheReadersSensitivity) {
  const auto compare = [](const char* now, const char* then, Sensitivity sensitivity) {
    return DataVersion::parse(now).compare(DataVersion::parse(then), sensitivity);
  };
  EXPECT_EQ(compare("1;a;x;s", "1;a;y;s", Sensitivity::rows), Comparison::same);
  EXPECT_EQ(compare("1;a;x;s", "1;a;y;s", Sensitivity::rows_and_order), Comparison::changed);
  EXPECT_EQ(compare("1;a;x;s", "1;a;;s", Sensitivity::rows_and_order), Comparison::changed);
  EXPECT_EQ(compare("1;a;;s", "1;a;;s", Sensitivity::rows_and_order), Comparison::same);
  EXPECT_EQ(compare("1;a;x;s", "1;b;x;s", Sensitivity::rows), Comparison::changed);
  EXPECT_EQ(compare("1;a;x;s", "1;a;x;t", Sensitivity::rows), Comparison::changed);
  EXPECT_EQ(compare("1;a;x;s", "1;a;x;", Sensitivity::rows), Comparison::changed);
  EXPECT_EQ(compare("1;a;x;", "1;a;x;", Sensitivity::rows), Comparison::same);
  EXPECT_EQ(compare("1;a;x;s", "1;b;y;s", Sensitivity::schema_only), Comparison::same);
  EXPECT_EQ(compare("1;a;x;s", "1;a;x;t", Sensitivity::schema_only), Comparison::changed);
}

TEST(DataVersion, APartThatNobodyHasProvesNothing) {
  const DataVersion rows_only = DataVersion::known("a", "", "");
  const DataVersion schema_only = DataVersion::known("", "", "s");
  EXPECT_EQ(rows_only.compare(rows_only, Sensitivity::schema_only), Comparison::unknown);
  EXPECT_EQ(schema_only.compare(schema_only, Sensitivity::rows), Comparison::unknown);
  EXPECT_EQ(schema_only.compare(schema_only, Sensitivity::rows_and_order), Comparison::unknown);
  EXPECT_EQ(schema_only.compare(DataVersion::known("a", "", "s"), Sensitivity::rows),
            Comparison::unknown);
}

}  // namespace
}  // namespace hodor
