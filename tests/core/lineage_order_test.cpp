// Goal: who may see the order of rows is found through views and functions.
// Method: facts by hand in a small catalog.
#include "lineage_fixture.hpp"

namespace hodor {
namespace {

TEST_F(LineageTest, WhatAViewMakesItsReaderMayMerge) {
  Facts makes = reading({{"w", "main", "t"}});
  makes.inexact = true;
  Facts sums = reading({{"w", "main", "v"}});
  sums.merges = true;
  view({"w", "main", "v"}, reading({{"w", "main", "t"}}));
  EXPECT_FALSE(catalog.order_sensitive(sums));
  view({"w", "main", "inner"}, makes);
  view({"w", "main", "v"}, reading({{"w", "main", "inner"}}));
  EXPECT_TRUE(catalog.order_sensitive(sums)) << "two views below";
  EXPECT_FALSE(catalog.order_sensitive(reading({{"w", "main", "v"}})));
  view({"w", "main", "summed"}, sums);
  EXPECT_TRUE(catalog.order_sensitive(reading({{"w", "main", "summed"}}))) << "between two views";
  view({"w", "main", "v"}, reading({{"w", "main", "t"}}));
  EXPECT_FALSE(catalog.order_sensitive(sums));

  catalog.put_function("share", "h", makes);
  Facts calls = calling("share");
  EXPECT_FALSE(catalog.order_sensitive(calls));
  calls.merges = true;
  EXPECT_TRUE(catalog.order_sensitive(calls));
  Facts merges = exact();
  merges.merges = true;
  catalog.put_function("total", "h", merges);
  calls = calling("total");
  EXPECT_FALSE(catalog.order_sensitive(calls));
  calls.inexact = true;
  EXPECT_TRUE(catalog.order_sensitive(calls)) << "the function merges what the text makes";
}

TEST_F(LineageTest, OrderSensitivityIsTransitive) {
  EXPECT_FALSE(catalog.order_sensitive(reading({{"w", "main", "t"}})));
  Facts limit = reading({{"w", "main", "t"}});
  limit.order_sensitive = true;
  EXPECT_TRUE(catalog.order_sensitive(limit));
  EXPECT_TRUE(catalog.order_sensitive(Facts{})) << "not understood";
  view({"w", "main", "inner"}, limit);
  view({"w", "main", "v"}, reading({{"w", "main", "inner"}}));
  EXPECT_TRUE(catalog.order_sensitive(reading({{"w", "main", "v"}})));
  view({"w", "main", "inner"}, reading({{"w", "main", "t"}}));
  EXPECT_FALSE(catalog.order_sensitive(reading({{"w", "main", "v"}})));
  catalog.put_view({"w", "main", "inner"}, "h", std::nullopt);
  EXPECT_TRUE(catalog.order_sensitive(reading({{"w", "main", "v"}})));
  catalog.put_function("first_of", "h", limit);
  EXPECT_TRUE(catalog.order_sensitive(calling("first_of")));
  EXPECT_FALSE(catalog.order_sensitive(calling("lower")));
  view({"w", "main", "calls"}, calling("first_of"));
  EXPECT_TRUE(catalog.order_sensitive(reading({{"w", "main", "calls"}})));
  view({"w", "main", "x.csv"}, limit);
  Facts file = exact();
  file.files.push_back(FileRead{"x.csv", ""});
  EXPECT_TRUE(catalog.order_sensitive(file));
  EXPECT_FALSE(catalog.order_sensitive(exact()));
  catalog.put_function("+", "h", limit);
  EXPECT_TRUE(catalog.order_sensitive(exact()));
}

}  // namespace
}  // namespace hodor
