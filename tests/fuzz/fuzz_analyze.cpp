// Any bytes → the same answer twice, facts that survive being stored, and a hash that forgets only
// what it says it forgets.
#include <cstdint>
#include <string>
#include <string_view>

#include "expect.hpp"
#include "hodor/extract/analyze.hpp"
#include "hodor/facts/codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hodor;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  AnalyzeOptions options;
  options.own = {"db", "main", "m"};
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    const Analysis first = analyze(sql, dialect, options);
    const Analysis again = analyze(sql, dialect, options);
    fuzz::expect(first.code_hash == again.code_hash, "the same text has the same hash");
    fuzz::expect(first.code_hash.size() == 64, "a hash is 64 hex digits");
    const auto encoded = encode_facts(first.facts);
    if (encoded.ok()) {
      const auto decoded = decode_facts(encoded.value());
      fuzz::expect(decoded.ok(), "stored facts can be read", encoded.value());
      const auto twice = encode_facts(decoded.value());
      fuzz::expect(twice.ok() && twice.value() == encoded.value(), "stored facts stay the same");
    }
    if (first.tier == AnalysisTier::tokens) {
      const Analysis spaced = analyze(std::string(sql) + "\n ", dialect, options);
      fuzz::expect(spaced.code_hash == first.code_hash, "white space at the end does not count");
      const Analysis more = analyze(std::string(sql) + "\nx", dialect, options);
      fuzz::expect(more.code_hash != first.code_hash, "another word at the end counts");
    }
    analyze_statements(sql, dialect, options);
    options.usual_settings = options.texts = true;
    const Analysis printed = analyze(sql, dialect, options);
    const Analysis reread = analyze(printed.text, dialect, options);
    fuzz::expect(reread.code_hash == printed.code_hash,
                 "a canonical text has the hash of its text");
    fuzz::expect(reread.text == printed.text, "a canonical text prints itself");
    options.usual_settings = options.texts = false;
  }
  return 0;
}
