// The canonical text against golden blocks. Each is also printed again, which must change nothing,
// and has the hash of the text that it is made from.
#include <gtest/gtest.h>

#include <string>

#include "golden_file.hpp"
#include "hodor/extract/analyze.hpp"

namespace hodor {
namespace {

Analysis analyze_text(const std::string& sql, Dialect dialect) {
  AnalyzeOptions options;
  options.usual_settings = true;
  options.texts = true;
  return analyze(sql, dialect, options);
}

TEST(CanonicalText, Golden) {
  golden::check("text", [](const golden::Block& block) {
    const Dialect dialect = golden::dialect_of(block);
    const Analysis once = analyze_text(block.sql, dialect);
    const Analysis again = analyze_text(once.text, dialect);
    EXPECT_EQ(once.code_hash, again.code_hash) << block.sql << "\n" << once.text;
    EXPECT_EQ(once.text, again.text) << block.sql;
    EXPECT_NE(once.text_source, TextSource::unprinted) << block.sql;
    return once.text + "\n";
  });
}

TEST(CanonicalText, EqualQueriesHaveOneText) {
  const std::string a = "with q as (select m.k1, m.v as vv from src m) select k1, vv as r from q";
  const std::string b = "WITH zz AS (SELECT k1,v w FROM src) SELECT zz.k1, (zz.w) AS r FROM zz;";
  EXPECT_EQ(analyze_text(a, Dialect::duckdb).text, analyze_text(b, Dialect::duckdb).text);
}

TEST(CanonicalText, IsMadeOnRequestOnly) {
  const Analysis analysis = analyze("select 1", Dialect::duckdb, {});
  EXPECT_EQ(analysis.text_source, TextSource::none);
  EXPECT_EQ(analysis.text, "");
}

TEST(CanonicalText, WithoutTokensItIsTheText) {
  const Analysis analysis = analyze_text("select 'a", Dialect::duckdb);
  EXPECT_EQ(analysis.tier, AnalysisTier::text);
  EXPECT_EQ(analysis.text, "select 'a");
}

TEST(Opaque, RunsAreCountedOnce) {
  const Analysis plain = analyze_text("select a from t", Dialect::duckdb);
  EXPECT_EQ(plain.opaque, 0U);
  EXPECT_EQ(plain.opaque_tokens, 0U);
  const Analysis broken = analyze_text("select a from t where ) +", Dialect::duckdb);
  EXPECT_GE(broken.opaque, 1U);
  EXPECT_GE(broken.opaque_tokens, broken.opaque);
}

}  // namespace
}  // namespace hodor
