// Build records: what is read, that unknown stays unknown, and that damage is an error of this
// record.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "hodor/base/limits.hpp"
#include "hodor/record/record.hpp"

namespace hodor {
namespace {

const std::string kToken = "1;10:20;30;schema";

RecordColumns good_columns() {
  RecordColumns columns;
  columns.text_hash = "text";
  columns.code_hash = "code";
  columns.unrendered_hash = "unrendered";
  columns.config_hash = "config";
  columns.hash_version = 7;
  columns.data_version = kToken;
  columns.built_at_ms = 1000;
  columns.upstreams = R"({"main.raw.a":"1;1:2;;s","main.raw.b":null})";
  columns.detail =
      R"({"v": 1, "fixpoint": true, "execution_s": 1.5, "config": {"a": ["d", null]}})";
  return columns;
}

TEST(Record, ReadsEveryColumn) {
  const Result<BuildRecord> record = decode_record(good_columns());
  ASSERT_TRUE(record.ok()) << record.error();
  EXPECT_EQ(record.value().hashes.text, "text");
  EXPECT_EQ(record.value().hashes.code, "code");
  EXPECT_EQ(record.value().hashes.unrendered, "unrendered");
  EXPECT_EQ(record.value().hashes.config, "config");
  EXPECT_EQ(record.value().hashes.hash_version, 7);
  EXPECT_EQ(record.value().target.token(), kToken);
  EXPECT_EQ(record.value().built_at_ms, 1000);
  EXPECT_TRUE(record.value().fixpoint);
  ASSERT_EQ(record.value().upstreams.size(), 2u);
  EXPECT_EQ(record.value().upstreams.at("main.raw.a").token(), "1;1:2;;s");
  EXPECT_FALSE(record.value().upstreams.at("main.raw.b").is_known());
}

TEST(Record, NullsStayUnknown) {
  RecordColumns columns;
  columns.upstreams = "{}";
  const Result<BuildRecord> record = decode_record(columns);
  ASSERT_TRUE(record.ok()) << record.error();
  EXPECT_TRUE(record.value().hashes.text.empty());
  EXPECT_FALSE(record.value().target.is_known());
  EXPECT_FALSE(record.value().built_at_ms.has_value());
  EXPECT_FALSE(record.value().fixpoint);
  EXPECT_TRUE(record.value().upstreams.empty());
  columns.detail = R"({"v":1})";
  EXPECT_FALSE(decode_record(columns).value().fixpoint);
}

TEST(Record, DamageIsAnError) {
  const auto refused = [](auto change) {
    RecordColumns columns = good_columns();
    change(columns);
    return !decode_record(columns).ok();
  };
  using Columns = RecordColumns&;
  EXPECT_TRUE(refused([](Columns c) { c.upstreams.reset(); }));
  for (const char* upstreams :
       {"", "[]", "null", "{", R"({"a":1})", R"({"a":"x"})", R"({"a":""})", R"({"a":"1;;;"})",
        R"({"a":null,"a":null})", R"({"a":["1;1:2;;s"]})"}) {
    EXPECT_TRUE(refused([&](Columns c) { c.upstreams = upstreams; })) << upstreams;
  }
  for (const char* version : {"", "x", "1;", "1;a;b", "1;a;b;c;d", "2;a;b;c", "1;;;"}) {
    EXPECT_TRUE(refused([&](Columns c) { c.data_version = version; })) << version;
  }
  for (const char* detail :
       {"", "{}", "[]", "1", R"({"fixpoint":true})", R"({"v":2,"fixpoint":true})", R"({"v":"1"})",
        R"({"v":1.0})", R"({"v":1,"fixpoint":1})", R"({"v":1,"fixpoint":"true"})",
        R"({"v":1,"fixpoint":null})", R"({"v":1,"fixpoint":true)", R"({"v":1,"v":1})"}) {
    EXPECT_TRUE(refused([&](Columns c) { c.detail = detail; })) << detail;
  }
}

TEST(Record, TextColumnsHaveALimit) {
  const std::string at_limit(limits::kRecordTextBytes, 'a');
  const std::string beyond(limits::kRecordTextBytes + 1, 'a');
  std::optional<std::string_view> RecordColumns::* const hashes[] = {
      &RecordColumns::text_hash, &RecordColumns::code_hash, &RecordColumns::unrendered_hash,
      &RecordColumns::config_hash};
  for (const auto member : hashes) {
    RecordColumns columns = good_columns();
    columns.*member = at_limit;
    EXPECT_TRUE(decode_record(columns).ok());
    columns.*member = beyond;
    EXPECT_FALSE(decode_record(columns).ok());
  }
  const auto token = [](std::size_t size) { return "1;" + std::string(size - 4, 'a') + ";;"; };
  RecordColumns columns = good_columns();
  const std::string good = token(limits::kRecordTextBytes);
  columns.data_version = good;
  EXPECT_TRUE(decode_record(columns).ok());
  const std::string bad = token(limits::kRecordTextBytes + 1);
  columns.data_version = bad;
  EXPECT_FALSE(decode_record(columns).ok());
}

TEST(Record, CutAndDamagedJsonNeverReadsAsAFixpointOrAsFewerInputs) {
  const std::string upstreams(*good_columns().upstreams);
  for (std::size_t cut = 0; cut < upstreams.size(); ++cut) {
    EXPECT_FALSE(decode_upstreams(upstreams.substr(0, cut)).ok()) << cut;
  }
  const std::string detail(*good_columns().detail);
  for (std::size_t cut = 0; cut < detail.size(); ++cut) {
    RecordColumns columns = good_columns();
    const std::string damaged = detail.substr(0, cut);
    columns.detail = damaged;
    EXPECT_FALSE(decode_record(columns).ok()) << cut;
  }
  std::mt19937 random(23);
  for (int i = 0; i < 2'000; ++i) {
    std::string damaged_upstreams = upstreams, damaged_detail = detail;
    damaged_upstreams[random() % upstreams.size()] = static_cast<char>(random());
    damaged_detail[random() % detail.size()] = static_cast<char>(random());
    RecordColumns columns = good_columns();
    columns.upstreams = damaged_upstreams;
    columns.detail = damaged_detail;
    const Result<BuildRecord> record = decode_record(columns);
    if (!record.ok()) continue;
    EXPECT_EQ(record.value().upstreams.size(), 2u);
  }
}

TEST(Upstreams, RoundTripSorted) {
  const UpstreamTokens upstreams = {{"b", std::nullopt}, {"a \"x\"", "1;1;;s"}, {"", "1;2;;s"}};
  const std::string text = encode_upstreams(upstreams).value();
  EXPECT_EQ(text, R"({"":"1;2;;s","a \"x\"":"1;1;;s","b":null})");
  EXPECT_EQ(decode_upstreams(text).value(), upstreams);
  EXPECT_EQ(encode_upstreams({}).value(), "{}");
}

TEST(Upstreams, ListEveryKeyThenAndNow) {
  const UpstreamTokens last = {{"a", "1;1;;s"}, {"b", std::nullopt}, {"d", "1;4;;s"}};
  const UpstreamTokens now = {{"b", "1;2;;s"}, {"c", std::nullopt}, {"d", "1;5;;s"}};
  EXPECT_EQ(list_upstreams(last, now).value(), R"([{"table":"a","last":"1;1;;s","now":null},)"
                                               R"({"table":"b","last":null,"now":"1;2;;s"},)"
                                               R"({"table":"c","last":null,"now":null},)"
                                               R"({"table":"d","last":"1;4;;s","now":"1;5;;s"}])");
  EXPECT_EQ(list_upstreams({}, {}).value(), "[]");
  EXPECT_EQ(list_upstreams({{"a", "x"}}, {}).value(), R"([{"table":"a","last":"x","now":null}])");
  EXPECT_FALSE(list_upstreams({{"\xff", std::nullopt}}, {}).ok());
}

TEST(Upstreams, RefuseWhatIsNotUtf8) {
  EXPECT_FALSE(encode_upstreams({{"\xff", std::nullopt}}).ok());
  EXPECT_FALSE(encode_upstreams({{"a", "\xff"}}).ok());
}

TEST(Upstreams, CountToTheirLimitAndNoFurther) {
  UpstreamTokens upstreams;
  for (std::size_t i = 0; i < limits::kUpstreams; ++i)
    upstreams.emplace(std::to_string(i), std::nullopt);
  const std::string text = encode_upstreams(upstreams).value();
  EXPECT_TRUE(decode_upstreams(text).ok());
  upstreams.emplace("one more", std::nullopt);
  EXPECT_FALSE(encode_upstreams(upstreams).ok());
  EXPECT_FALSE(decode_upstreams(text.substr(0, text.size() - 1) + ",\"x\":null}").ok());
}

}  // namespace
}  // namespace hodor
