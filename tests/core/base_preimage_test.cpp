// The encoder has one reading per byte string: look-alikes, forged fields, random call sequences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "hodor/base/preimage.hpp"

namespace hodor {
namespace {

Preimage made(const std::function<void(Preimage&)>& fill) {
  Preimage preimage;
  fill(preimage);
  return preimage;
}

TEST(Preimage, LookAlikesHaveDifferentBytesAndDumps) {
  const Preimage tail = made([](Preimage& p) { p.text("y", "2"); });
  const std::vector<std::function<void(Preimage&)>> fills = {
      [](Preimage&) {},
      [](Preimage& p) { p.begin_list("x"), p.text("", "a;b"), p.end_list(); },
      [](Preimage& p) { p.begin_list("x"), p.text("", "a"), p.text("", "b"), p.end_list(); },
      [](Preimage& p) { p.begin_list("x"), p.text("", "ab"), p.text("", "c"), p.end_list(); },
      [](Preimage& p) { p.begin_list("x"), p.text("", "a"), p.text("", "bc"), p.end_list(); },
      [](Preimage& p) { p.begin_list("x"), p.text("", "a"), p.end_list(), p.text("", "b"); },
      [](Preimage& p) { p.begin_list("x"), p.end_list(); },
      [](Preimage& p) { p.begin_map("x"), p.end_map(); },
      [](Preimage& p) { p.begin_pairs("x"), p.end_pairs(); },
      [](Preimage& p) { p.begin_list("x"), p.begin_list(""), p.end_list(), p.end_list(); },
      [](Preimage& p) { p.begin_list("x"), p.end_list(), p.begin_list(""), p.end_list(); },
      [](Preimage& p) { p.null("x"); },
      [](Preimage& p) { p.text("x", ""); },
      [](Preimage& p) { p.text("", "x"); },
      [](Preimage& p) { p.text("x", "1"); },
      [](Preimage& p) { p.blob("x", "1"); },
      [](Preimage& p) { p.date("x", "1"); },
      [](Preimage& p) { p.datetime("x", "1"); },
      [](Preimage& p) { p.integer("x", 1); },
      [](Preimage& p) { p.integer("x", 0); },
      [](Preimage& p) { p.integer("x", -1); },
      [](Preimage& p) { p.integer("x", std::numeric_limits<std::int64_t>::min()); },
      [](Preimage& p) { p.integer("x", std::numeric_limits<std::int64_t>::max()); },
      [](Preimage& p) { p.real("x", 1.0); },
      [](Preimage& p) { p.real("x", 0.0); },
      [](Preimage& p) { p.real("x", -0.0); },
      [](Preimage& p) { p.real("x", std::nan("")); },
      [](Preimage& p) { p.real("x", std::numeric_limits<double>::infinity()); },
      [](Preimage& p) { p.boolean("x", true); },
      [](Preimage& p) { p.boolean("x", false); },
      [](Preimage& p) { p.text("x", "T"); },
      [](Preimage& p) { p.text("x", std::string("1\0", 2)); },
      [](Preimage& p) { p.text("x", "1\n"); },
      [](Preimage& p) { p.text("x", "1\\n"); },
      [](Preimage& p) { p.text("x", std::string(200, 'a')); },
      [](Preimage& p) { p.text(std::string(200, 'a'), "x"); },
      // A value that forges the next field.
      [&](Preimage& p) { p.text("x", "1" + std::string(tail.bytes())); },
      [](Preimage& p) { p.text("x", "1"), p.text("y", "2"); },
      [](Preimage& p) { p.text("y", "2"), p.text("x", "1"); },
  };
  std::map<std::string, std::size_t> by_bytes, by_dump;
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const Preimage preimage = made(fills[i]);
    EXPECT_TRUE(by_bytes.emplace(preimage.bytes(), i).second)
        << i << " = " << by_bytes[std::string(preimage.bytes())];
    EXPECT_TRUE(by_dump.emplace(preimage.dump(), i).second) << preimage.dump();
  }
}

TEST(Preimage, EveryNanIsOneValue) {
  const auto bytes = [](double value) {
    return made([&](Preimage& p) { p.real("x", value); }).bytes();
  };
  EXPECT_EQ(bytes(std::nan("1")), bytes(-std::nan("2")));
}

TEST(Preimage, BigIntegersContinueTheSmallOnes) {
  const auto small = made([](Preimage& p) { p.integer("x", -12); });
  const auto big = made([](Preimage& p) { p.big_integer("x", "-12"); });
  EXPECT_EQ(small.bytes(), big.bytes());
}

TEST(Preimage, DumpShowsNestingAndEscapes) {
  const auto preimage = made([](Preimage& p) {
    p.begin_map("config");
    p.text("a", "l\nq\\\x01\x7f");
    p.blob("b", "\xff");
    p.begin_list("c");
    p.boolean("", true);
    p.null("");
    p.end_list();
    p.end_map();
    p.integer("d=", 5);
  });
  EXPECT_EQ(preimage.dump(),
            "{ config\n"
            "  t a = l\\nq\\\\\\x01\\x7f\n"
            "  x b = ff\n"
            "  [ c\n"
            "    T\n"
            "    n\n"
            "  ]\n"
            "}\n"
            "i d\\x3d = 5\n");
}

TEST(Preimage, DumpOfDamagedBytesSaysWhereAndNeverFails) {
  const std::string whole = made([](Preimage& p) {
                              p.begin_list("list");
                              p.text("a", std::string(300, 'z'));
                              p.real("r", 2.5);
                              p.end_list();
                            }).bytes();
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const std::string dump = Preimage::dump(std::string_view(whole).substr(0, cut));
    EXPECT_FALSE(dump.empty());
  }
  EXPECT_EQ(Preimage::dump(std::string_view("\x01xQ", 3)), "malformed at byte 0\n");
  EXPECT_EQ(Preimage::dump(std::string_view("\0]", 2)), "malformed at byte 0\n");
  EXPECT_EQ(Preimage::dump(std::string_view("\x02xn", 3)), "malformed at byte 0\n");
  EXPECT_EQ(Preimage::dump(std::string(12, '\xff')), "malformed at byte 0\n");
}

TEST(Preimage, AppendAddsTheFieldsOfAnother) {
  auto both = made([](Preimage& p) { p.text("a", "1"); });
  both.append(made([](Preimage& p) { p.text("b", "2"); }));
  EXPECT_EQ(both.bytes(), made([](Preimage& p) { p.text("a", "1"), p.text("b", "2"); }).bytes());
  both.clear();
  EXPECT_EQ(both.bytes(), "");
}

struct Call {
  char kind;
  std::string tag;
  std::string value;
  bool operator==(const Call&) const = default;
};

std::vector<Call> random_calls(std::mt19937& random) {
  static const std::vector<std::string> texts = {"",
                                                 "a",
                                                 "ab",
                                                 "b",
                                                 "]",
                                                 "[",
                                                 "t",
                                                 "\x01",
                                                 "1",
                                                 std::string("\0", 1),
                                                 std::string("\1at\1b", 5)};
  const auto pick = [&] { return texts[random() % texts.size()]; };
  std::vector<Call> calls;
  std::string open;
  for (auto left = random() % 6; left > 0; --left) {
    const char kind = "txinT[{("[random() % 8];
    const bool has_value = kind == 't' || kind == 'x' || kind == 'i';
    calls.push_back({kind, pick(), has_value ? pick() : ""});
    if (kind == 'i') calls.back().value = std::to_string(calls.back().value.size());
    if (kind == '[' || kind == '{' || kind == '(') {
      open.push_back(kind == '[' ? ']' : kind == '{' ? '}' : ')');
    }
    if (!open.empty() && random() % 2 == 0) {
      calls.push_back({open.back(), "", ""});
      open.pop_back();
    }
  }
  for (; !open.empty(); open.pop_back()) calls.push_back({open.back(), "", ""});
  return calls;
}

void apply(const Call& call, Preimage& out) {
  if (call.kind == 't') out.text(call.tag, call.value);
  if (call.kind == 'x') out.blob(call.tag, call.value);
  if (call.kind == 'i') out.integer(call.tag, std::stoll(call.value));
  if (call.kind == 'n') out.null(call.tag);
  if (call.kind == 'T') out.boolean(call.tag, true);
  if (call.kind == '[') out.begin_list(call.tag);
  if (call.kind == '{') out.begin_map(call.tag);
  if (call.kind == '(') out.begin_pairs(call.tag);
  if (call.kind == ']') out.end_list();
  if (call.kind == '}') out.end_map();
  if (call.kind == ')') out.end_pairs();
}

TEST(Preimage, RandomSequencesOfCallsHaveEqualBytesOnlyWhenEqual) {
  std::mt19937 random(7);
  std::map<std::string, std::vector<Call>> calls_of;
  std::map<std::string, std::string> bytes_of_dump;
  for (int i = 0; i < 40'000; ++i) {
    const std::vector<Call> calls = random_calls(random);
    Preimage preimage;
    for (const Call& call : calls) apply(call, preimage);
    EXPECT_TRUE(calls_of.emplace(preimage.bytes(), calls).first->second == calls)
        << preimage.dump();
    // The dump is made by reading the bytes back.
    EXPECT_EQ(bytes_of_dump.emplace(preimage.dump(), preimage.bytes()).first->second,
              preimage.bytes());
    EXPECT_EQ(preimage.dump().find("malformed"), std::string::npos);
  }
  EXPECT_GT(calls_of.size(), 10'000u);
}

}  // namespace
}  // namespace hodor
