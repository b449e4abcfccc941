// Seed hashes: LF and CRLF checkouts agree, and no CR LF that could be data is folded.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "hodor/base/limits.hpp"
#include "hodor/fingerprint/seed_hash.hpp"

namespace hodor {
namespace {

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

TEST(SeedHash, LineEndsOutsideQuotesDoNotCount) {
  const std::string texts[] = {"id,name\n1,a\n2,b\n",
                               "id,name\n1,\"a\"\n2,\"b, c\"\n",
                               "id,name\n1,\"say \"\"hi\"\"\"\n2,b\n",
                               "\"id\",\"name\"\n\"1\",\"a\"\n",
                               "id;name\n1;\"a;b\"\n2;c\n",
                               "id,name\n1,O'Brien\n2,D'Arcy\n",
                               "id,size\n1,5\" pipe\n2,6\" pipe\n",
                               "a\\b,c\n1,2\n",
                               "",
                               "\n",
                               "id"};
  for (const std::string& text : texts) {
    EXPECT_EQ(seed_hash(text), seed_hash(with_crlf(text))) << text;
    EXPECT_EQ(fold_line_ends(with_crlf(text)), text);
  }
}

TEST(SeedHash, LineEndsInsideQuotesCount) {
  const std::string texts[] = {"id,name\n1,\"a\nb\"\n",
                               "\"a\nb\"",
                               "id\n\"x\"\"\ny\"\n",           // after a doubled quote
                               "id,name\n1,'a\nb'\n",          // a reader may take ' for the quote
                               "id;name\n1;\"a\nb\"\n",        // another delimiter
                               "id\x01name\n1\x01\"a\nb\"\n",  // any delimiter
                               "id,name\n1,\"a\\\"\nb\"\n",    // backslash as escape
                               "\"a\\\"\nb\"\n",
                               "i,n\n5\" pipe,\"x\ny\"\n",  // a stray quote before
                               "a;\"b\nc,\";x\ny\"\n",
                               "\r'\n'\n'\n",  // after a lone CR, which may be data or end a line
                               "\xef\xbb\xbf\"a\nb\"\n"};  // after a byte order mark
  for (const std::string& text : texts) {
    EXPECT_NE(seed_hash(text), seed_hash(with_crlf(text))) << text;
  }
}

TEST(SeedHash, ALetterIsADelimiterOnlyWhenTheCallerSaysSo) {
  const std::string text = "idxname\n1x\"a\nb\"\n";
  EXPECT_EQ(seed_hash(text, ","), seed_hash(with_crlf(text), ","));
  EXPECT_NE(seed_hash(text, "x"), seed_hash(with_crlf(text), "x"));
}

TEST(SeedHash, EverythingElseCounts) {
  EXPECT_NE(seed_hash("a\rb"), seed_hash("a\nb"));
  EXPECT_NE(seed_hash("a\r"), seed_hash("a"));
  EXPECT_NE(seed_hash("a\r\r\nb"), seed_hash("a\nb"));
  EXPECT_NE(seed_hash("a\n"), seed_hash("a"));
  EXPECT_NE(seed_hash("a,b"), seed_hash("a, b"));
  EXPECT_NE(seed_hash(std::string("a\0b", 3)), seed_hash("ab"));
  EXPECT_NE(seed_hash(""), seed_hash("\n"));
}

// What one reader of CSV (RFC 4180 with a given quote and delimiter) takes for data.
std::string fields_of(const std::string& text, char quote, char delimiter, bool lone_cr_ends_line) {
  std::string fields;
  bool quoted = false;
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != quote) {
        fields += c;
      } else if (i + 1 < text.size() && text[i + 1] == quote) {
        fields += c;
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == quote && at_start) {
      quoted = true;
      at_start = false;
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      continue;
    } else if (c == '\n' || c == delimiter || (c == '\r' && lone_cr_ends_line)) {
      fields += c == delimiter ? "<field>" : "<row>";
      at_start = true;
    } else {
      fields += c;
      at_start = false;
    }
  }
  return fields;
}

TEST(SeedHash, TextsThatAnyReaderTellsApartHashDifferently) {
  const char alphabet[] = {'"', '\'', ',', ';', '\r', '\n', 'a', '\\'};
  std::mt19937 random(5);
  int folded_alike = 0;
  for (int i = 0; i < 30'000; ++i) {
    std::string text;
    for (auto left = 1 + random() % 12; left > 0; --left) text += alphabet[random() % 8];
    std::string other = text;
    const auto crlf = other.find("\r\n");
    if (crlf == std::string::npos) continue;
    other.erase(crlf, 1);
    if (seed_hash(text) != seed_hash(other)) continue;
    ++folded_alike;
    for (const char quote : {'"', '\''}) {
      for (const char delimiter : {',', ';'}) {
        for (const bool lone_cr : {false, true}) {
          EXPECT_EQ(fields_of(text, quote, delimiter, lone_cr),
                    fields_of(other, quote, delimiter, lone_cr))
              << text;
        }
      }
    }
  }
  EXPECT_GT(folded_alike, 200);
}

TEST(SeedHash, BeyondItsLimitNothingIsFolded) {
  const std::string row = "1,\"a\"\r\n";
  std::string text;
  // Two readings (no delimiter, ',') of one quote.
  while (text.size() + row.size() <= limits::kSeedScanBytes / 64) text += row;
  EXPECT_LT(fold_line_ends(text).size(), text.size());
  // 126 readings: every byte that is no letter or digit stands before a quote.
  std::string delimiters;
  for (int byte = 1; byte < 128; ++byte) {
    delimiters += static_cast<char>(byte);
    delimiters += '"';
  }
  text = delimiters + "\r\n" + text;
  EXPECT_EQ(fold_line_ends(text), text);
}

}  // namespace
}  // namespace hodor
