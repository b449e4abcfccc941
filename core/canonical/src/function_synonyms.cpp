// See function_synonyms.hpp.
//
// DuckDB: alias_of in duckdb_functions() on 1.5.5 and 2.0.1, with the same signatures and stability
// under both names; those below the line have none and were executed on both versions. Spark 4.1.1:
// one class in the function registry, and one analysed plan under both names for all arguments that
// either takes. Functions that are volatile have one name only here.
#include "function_synonyms.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace hodor {
namespace {

constexpr std::uint32_t kAny = 0xff;

struct Synonym {
  std::string_view written;  // sorted
  std::string_view name;
  std::uint32_t arguments = kAny;
};

#include "function_synonyms.inc"

struct Default {
  std::string_view name;
  std::uint32_t arguments;
  DefaultArgument missing;
};
constexpr Default kDuckDBDefaults[] = {
    {"lag", 1, {"1"}}, {"lead", 1, {"1"}}, {"string_agg", 1, {",", true}}};
constexpr Default kSparkDefaults[] = {{"lag", 1, {"1"}},
                                      {"lead", 1, {"1"}},
                                      {"regexp_extract", 2, {"1"}},
                                      {"from_unixtime", 1, {"yyyy-MM-dd HH:mm:ss", true}}};

}  // namespace

std::string_view function_name(std::string_view name, std::uint32_t arguments, Dialect dialect) {
  const bool duckdb = dialect == Dialect::duckdb;
  const std::span<const Synonym> all =
      duckdb ? std::span<const Synonym>(kDuckDB) : std::span<const Synonym>(kSpark);
  auto found = std::lower_bound(all.begin(), all.end(), name,
                                [](const Synonym& a, std::string_view b) { return a.written < b; });
  for (; found != all.end() && found->written == name; ++found) {
    if (found->arguments == kAny || found->arguments == arguments) return found->name;
  }
  return name;
}

DefaultArgument default_argument(std::string_view name, std::uint32_t arguments, Dialect dialect) {
  const std::span<const Default> all = dialect == Dialect::duckdb
                                           ? std::span<const Default>(kDuckDBDefaults)
                                           : std::span<const Default>(kSparkDefaults);
  for (const Default& known : all) {
    if (known.name == name && known.arguments == arguments) return known.missing;
  }
  return {};
}

}  // namespace hodor
