// How tightly each engine's operators bind.
//
// In:  the words or the symbol of an operator, its place, the dialect.
// Out: its level (higher binds tighter) and its group; level 0 for an operator not listed.
// Never: guesses: an operator that is not in the table is not grouped.
//
// DuckDB's levels are those of `json_serialize_sql` on 2.0.1 for each pair of operators; the groups
// say where 1.5.5 differs. Spark's are those of its SqlBaseParser.g4.
#pragma once
#include <cstdint>
#include <string_view>

#include "hodor/syntax/dialect.hpp"

namespace hodor {

enum class OperatorPlace : std::uint8_t { prefix, infix, postfix };

enum class OperatorGroup : std::uint8_t {
  plain,
  general,  // DuckDB ||, @>, && ...: on 1.5.5 of one level with the bit operators
  bit,  // DuckDB & | << >>: grouped to the left whatever they are, which other engines do not do
  comparison,  // not to be chained on DuckDB 2
  doubled,     // DuckDB ==: the level of = on 2.0.1, of || on 1.5.5
  pattern,     // LIKE, BETWEEN, IN ...: do not follow each other
  tilde,       // DuckDB ~, ~~ and their kin: the level of LIKE on 2.0.1, of || on 1.5.5
  arrow,       // -> and ->>: what comes before them binds differently on each version
  unary,       // DuckDB prefix ~ and @: their operand goes on to the right
  negation,
  zone,  // AT TIME ZONE
  collation
};

struct OperatorLevel {
  std::uint8_t level = 0;
  OperatorGroup group = OperatorGroup::plain;
};

inline constexpr std::uint8_t kNotLevel = 25;
inline constexpr std::uint8_t kPredicateLevel = 30;  // Spark: IS, IN, LIKE, BETWEEN
inline constexpr std::uint8_t kPostfixLevel = 120;   // ::type, [..], .field

// `text`: the symbol, or the operator's first word that is not NOT, in lower case.
OperatorLevel operator_level(std::string_view text, OperatorPlace place, Dialect dialect);

// Whether an operator of one group with an operand of another, without parentheses, is the same
// expression on every version of the engine that we support.
bool mixes(OperatorGroup outer, OperatorGroup operand);

}  // namespace hodor
