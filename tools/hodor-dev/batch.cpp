// Many texts through the lexer and the code hash.
//
// In:  framed records (batch.hpp).
// Out: one line a record, and what all of them cost.
// Never: judges a hash; the caller compares them.
#include "batch.hpp"

#include <chrono>

#include "hodor/extract/analyze.hpp"
#include "hodor/syntax/lexer.hpp"

namespace hodor::dev {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const char* name_of_tier(AnalysisTier tier) {
  if (tier == AnalysisTier::canonical) return "canonical ";
  return tier == AnalysisTier::tokens ? "tokens " : "text ";
}

}  // namespace

std::optional<Dialect> parse_dialect(std::string_view name) {
  if (name == "duckdb") return Dialect::duckdb;
  if (name == "databricks") return Dialect::databricks;
  return std::nullopt;
}

int run_batch(std::istream& in, std::ostream& out, const KnownColumns& columns) {
  std::size_t bytes = 0;
  double lex_seconds = 0;
  double hash_seconds = 0;
  std::string name;
  std::size_t size = 0;
  while (in >> name >> size) {
    const std::optional<Dialect> dialect = parse_dialect(name);
    std::string sql(size, '\0');
    if (!dialect || in.get() != '\n' || !in.read(sql.data(), static_cast<std::streamsize>(size))) {
      out << "malformed record\n";
      return 2;
    }
    const auto start = Clock::now();
    const Lexed lexed = lex(sql, *dialect);
    lex_seconds += seconds_since(start);
    const auto hash_start = Clock::now();
    AnalyzeOptions options;
    options.usual_settings = true;
    options.columns = columns;
    const Analysis analysis = analyze(sql, *dialect, options);
    hash_seconds += seconds_since(hash_start);
    bytes += size;
    std::string error = check_tokens(sql, *dialect, lexed);
    if (error.empty() && !lexed.ok) {
      const Token& bad = lexed.tokens[lexed.tokens.size() - 2];
      error = std::string(name_of(bad.kind)) + " at byte " + std::to_string(bad.begin);
    }
    out << name_of_tier(analysis.tier) << analysis.code_hash << ' ' << lexed.tokens.size() << ' '
        << (error.empty() ? "-" : error) << '\n';
  }
  out << "# " << bytes << ' ' << lex_seconds << ' ' << hash_seconds << '\n';
  return in.eof() ? 0 : 2;
}

}  // namespace hodor::dev
