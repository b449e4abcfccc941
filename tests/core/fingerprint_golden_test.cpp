// Committed pre-images and digests. A difference here means that stored hashes no longer fit:
// either the change is a mistake, or kHashVersion must be raised (see hash_version.hpp for when).
// HODOR_GOLDEN_UPDATE=1 writes the files anew; read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "hodor/fingerprint/hash_version.hpp"
#include "hodor/fingerprint/seed_hash.hpp"
#include "hodor/fingerprint/text_hash.hpp"
#include "hodor/fingerprint/value_digest.hpp"

namespace hodor {
namespace {

void compare_with_golden(const std::string& name, const std::string& now) {
  const std::string path = std::string(HODOR_TEST_DATA) + "/golden/preimage/" + name;
  if (std::getenv("HODOR_GOLDEN_UPDATE") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path;
  std::ostringstream stored;
  stored << file.rdbuf();
  EXPECT_EQ(stored.str(), now) << path;
}

Value text(const char* value) { return {std::string(value)}; }
Value integer(std::int64_t value) { return {value}; }

// One value of every type, nested.
Value sample_config() {
  ValueMap mixed = {{integer(1), text("one")},
                    {{true}, text("yes")},
                    {{}, text("nothing")},
                    {text("1"), text("digit")}};
  ValueList list = {{},
                    {false},
                    {true},
                    integer(-3),
                    {BigInteger{"9223372036854775808"}},
                    {1.5},
                    {-0.0},
                    text("a\n\"b\" é"),
                    {Bytes{std::string("\0\xff", 2)}},
                    {Date{"2026-10-20"}},
                    {DateTime{"2026-10-20T04:12:00+00:00"}}};
  return {ValueMap{{text("materialized"), text("incremental")},
                   {text("unique_key"), {ValueList{text("id"), text("line")}}},
                   {text("grants"), {ValueMap{{text("select"), {ValueList{}}}}}},
                   {text("every type"), {std::move(list)}},
                   {text("keys"), {std::move(mixed)}},
                   {text("empty"), {ValueMap{}}}}};
}

TEST(Golden, ConfigPreimageAndDigests) {
  std::string out = dump_value("config", sample_config()).value();
  out += "--\ndigest: " + value_digest("config", sample_config()).value() + "\n";
  for (const auto& [key, digest] : value_digest_parts("config", sample_config()).value()) {
    out += "part " + key + ": " + digest + "\n";
  }
  compare_with_golden("config.txt", out);
}

TEST(Golden, TextPreimageAndHashes) {
  const RunValues run_values = {{"0e2c1d9a-61fb-4c37-9c4c-1f0f4b9e7a11", "invocation_id"},
                                {"2026-10-20 04:12:00.123456+00:00", "run_started_at"}};
  const std::string sql =
      "select '0e2c1d9a-61fb-4c37-9c4c-1f0f4b9e7a11' as run,\n"
      "  '2026-10-20 04:12:00.123456+00:00' as started, 'invocation_id' as word from t";
  Preimage preimage;
  add_text_without_run_values(preimage, sql, run_values);
  compare_with_golden("text.txt", preimage.dump() + "--\nhash: " + text_hash(sql, run_values) +
                                      "\nwithout run values: " + text_hash(sql, {}) +
                                      "\nempty: " + text_hash("", {}) + "\n");
}

TEST(Golden, SeedHashes) {
  const std::string csv = "id,name\r\n1,\"a\r\nb\"\r\n2,c\r\n";
  compare_with_golden("seed.txt", "hash: " + seed_hash(csv) + "\nempty: " + seed_hash("") + "\n");
}

TEST(Golden, HashVersion) {
  compare_with_golden("hash_version.txt", std::to_string(kHashVersion) + "\n");
}

}  // namespace
}  // namespace hodor
