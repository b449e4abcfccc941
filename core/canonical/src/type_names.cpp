// See type_names.hpp. DuckDB's are those whose `typeof(NULL::name)` is the second name on 1.5.5 and
// 2.0.1 (a test asks the engine); Spark's are those of DataTypeAstBuilder. A name with a default
// that depends on parameters (decimal, char) is not one of them.
#include "type_names.hpp"

#include <span>

#include "hodor/syntax/token.hpp"

namespace hodor {
namespace {

struct Row {
  std::string_view written;
  std::string_view name;
};

constexpr Row kDuckDB[] = {
    {"int", "integer"},         {"integer", "integer"},
    {"int4", "integer"},        {"bigint", "bigint"},
    {"int8", "bigint"},         {"smallint", "smallint"},
    {"int2", "smallint"},       {"tinyint", "tinyint"},
    {"int1", "tinyint"},        {"double", "double"},
    {"float8", "double"},       {"real", "float"},
    {"float", "float"},         {"float4", "float"},
    {"boolean", "boolean"},     {"bool", "boolean"},
    {"varchar", "varchar"},     {"text", "varchar"},
    {"string", "varchar"},      {"date", "date"},
    {"timestamp", "timestamp"}, {"timestamptz", "timestamp with time zone"},
    {"blob", "blob"},           {"bytea", "blob"},
    {"interval", "interval"},   {"time", "time"},
    {"uuid", "uuid"},           {"hugeint", "hugeint"},
    {"utinyint", "utinyint"},   {"usmallint", "usmallint"},
    {"uinteger", "uinteger"},   {"ubigint", "ubigint"},
};

constexpr Row kDatabricks[] = {
    {"int", "int"},
    {"integer", "int"},
    {"bigint", "bigint"},
    {"long", "bigint"},
    {"smallint", "smallint"},
    {"short", "smallint"},
    {"tinyint", "tinyint"},
    {"byte", "tinyint"},
    {"float", "float"},
    {"real", "float"},
    {"double", "double"},
    {"boolean", "boolean"},
    {"string", "string"},
    {"date", "date"},
    {"timestamp", "timestamp"},
    {"binary", "binary"},
    {"interval", "interval"},
    {"variant", "variant"},
    {"timestamp_ntz", "timestamp_ntz"},
    {"timestamp_ltz", "timestamp_ltz"},
};

}  // namespace

// One type under three names on both engines, with the same defaults under each.
std::string_view decimal_name(std::string_view written) {
  for (const std::string_view name : {"decimal", "numeric", "dec"}) {
    if (equals_ignoring_case(written, name)) return "decimal";
  }
  return {};
}

std::string_view type_name(std::string_view written, Dialect dialect) {
  const std::span<const Row> rows = dialect == Dialect::duckdb ? std::span<const Row>(kDuckDB)
                                                               : std::span<const Row>(kDatabricks);
  for (const Row& row : rows) {
    if (equals_ignoring_case(written, row.written)) return row.name;
  }
  return {};
}

}  // namespace hodor
