// Result and HODOR_TRY: a failure travels up with its words, a value is moved out.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hodor/base/result.hpp"

namespace hodor {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return Error{"odd"};
  return n / 2;
}

Result<std::string> quarter(int n) {
  HODOR_TRY(once, half(n));
  HODOR_TRY(twice, half(once));
  return std::to_string(twice);
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_FALSE(half(3).ok());
  EXPECT_EQ(half(3).error(), "odd");
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(8).value(), "2");
  EXPECT_EQ(quarter(6).error(), "odd");
  EXPECT_EQ(quarter(7).error(), "odd");
}

TEST(Result, ATextValueIsNoError) {
  const Result<std::string> text = std::string("odd");
  EXPECT_TRUE(text.ok());
}

TEST(Result, AWalkThroughATemporaryResultIsSafe) {
  const auto words = []() -> Result<std::vector<std::string>> {
    return std::vector<std::string>{std::string(100, 'a'), "b"};
  };
  std::string joined;
  for (const std::string& word : words().value()) joined += word;
  EXPECT_EQ(joined, std::string(100, 'a') + "b");
}

TEST(Result, MovesItsValueOut) {
  Result<std::unique_ptr<int>> owner = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(owner).value();
  EXPECT_EQ(*taken, 3);
}

}  // namespace
}  // namespace hodor
