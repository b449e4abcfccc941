// See operator_levels.hpp.
#include "operator_levels.hpp"

#include <array>
#include <bit>
#include <iterator>

namespace hodor {
namespace {

struct Row {
  std::string_view text;
  OperatorPlace place;
  std::uint8_t duckdb;
  std::uint8_t databricks;
  OperatorGroup group;
};

using P = OperatorPlace;
using G = OperatorGroup;

constexpr Row kRows[] = {
    {"or", P::infix, 10, 10, G::plain},
    {"and", P::infix, 20, 20, G::plain},
    {"not", P::prefix, kNotLevel, kNotLevel, G::negation},
    {"!", P::prefix, 0, kNotLevel, G::negation},
    {"is", P::infix, 30, 30, G::plain},  // IS DISTINCT FROM
    {"is", P::postfix, 30, 30, G::plain},
    {"isnull", P::postfix, 30, 0, G::plain},
    {"notnull", P::postfix, 30, 0, G::plain},
    {"null", P::postfix, 30, 0, G::plain},  // NOT NULL
    {"=", P::infix, 40, 40, G::comparison},
    {"==", P::infix, 40, 40, G::doubled},
    {"<>", P::infix, 40, 40, G::comparison},
    {"!=", P::infix, 40, 40, G::comparison},
    {"<", P::infix, 40, 40, G::comparison},
    {"<=", P::infix, 40, 40, G::comparison},
    {">", P::infix, 40, 40, G::comparison},
    {">=", P::infix, 40, 40, G::comparison},
    {"<=>", P::infix, 60, 40, G::general},
    {"like", P::infix, 50, 30, G::pattern},
    {"ilike", P::infix, 50, 30, G::pattern},
    {"glob", P::infix, 50, 0, G::pattern},
    {"rlike", P::infix, 0, 30, G::pattern},
    {"regexp", P::infix, 0, 30, G::pattern},
    {"similar", P::infix, 50, 0, G::pattern},
    {"between", P::infix, 50, 30, G::pattern},
    {"in", P::infix, 50, 30, G::pattern},
    {"~", P::infix, 50, 0, G::tilde},
    {"!~", P::infix, 50, 0, G::tilde},
    {"~~", P::infix, 50, 0, G::tilde},
    {"!~~", P::infix, 50, 0, G::tilde},
    {"~~~", P::infix, 50, 0, G::tilde},
    {"||", P::infix, 60, 90, G::general},
    {"@>", P::infix, 60, 0, G::general},
    {"<@", P::infix, 60, 0, G::general},
    {"^@", P::infix, 60, 0, G::general},
    {"&&", P::infix, 60, 0, G::general},
    {"<->", P::infix, 60, 0, G::general},
    {"->", P::infix, 5, 5, G::arrow},
    {"->>", P::infix, 60, 0, G::arrow},
    {"|", P::infix, 70, 50, G::bit},
    {"&", P::infix, 70, 70, G::bit},
    {"<<", P::infix, 70, 80, G::bit},
    {">>", P::infix, 70, 80, G::bit},
    {">>>", P::infix, 0, 80, G::bit},
    {"+", P::infix, 80, 90, G::plain},
    {"-", P::infix, 80, 90, G::plain},
    {"*", P::infix, 90, 100, G::plain},
    {"/", P::infix, 90, 100, G::plain},
    {"%", P::infix, 90, 100, G::plain},
    {"//", P::infix, 90, 0, G::plain},
    {"div", P::infix, 0, 100, G::plain},
    {"^", P::infix, 100, 60, G::plain},
    {"**", P::infix, 100, 0, G::plain},
    {"at", P::infix, 110, 0, G::zone},
    {"collate", P::postfix, 112, kPostfixLevel, G::collation},
    {"-", P::prefix, 115, 110, G::plain},
    {"+", P::prefix, 115, 110, G::plain},
    {"~", P::prefix, 75, 110, G::unary},
    {"@", P::prefix, 75, 0, G::unary},
};

// For each first byte, the rows that begin with it, as bits.
static_assert(std::size(kRows) <= 64);
constexpr std::array<std::uint64_t, 128> rows_by_byte() {
  std::array<std::uint64_t, 128> rows = {};
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    rows[static_cast<std::size_t>(kRows[i].text[0])] |= std::uint64_t{1} << i;
  }
  return rows;
}
constexpr std::array<std::uint64_t, 128> kRowsByByte = rows_by_byte();

}  // namespace

OperatorLevel operator_level(std::string_view text, OperatorPlace place, Dialect dialect) {
  const auto first = static_cast<unsigned char>(text.empty() ? '\0' : text[0]);
  if (first >= kRowsByByte.size()) return {};
  for (std::uint64_t rows = kRowsByByte[first]; rows != 0; rows &= rows - 1) {
    const Row& row = kRows[std::countr_zero(rows)];
    if (row.place != place || row.text != text) continue;
    return {dialect == Dialect::duckdb ? row.duckdb : row.databricks, row.group};
  }
  return {};
}

bool mixes(OperatorGroup outer, OperatorGroup operand) {
  const auto pair = [outer, operand](OperatorGroup a, OperatorGroup b) {
    return (outer == a && operand == b) || (outer == b && operand == a);
  };
  if (pair(G::doubled, G::doubled) || pair(G::doubled, G::comparison) ||
      pair(G::doubled, G::pattern) || pair(G::doubled, G::tilde) || pair(G::doubled, G::general) ||
      pair(G::doubled, G::bit) || pair(G::doubled, G::arrow)) {
    return false;
  }
  return !pair(G::comparison, G::comparison) && !pair(G::bit, G::bit) &&
         !pair(G::general, G::bit) && !pair(G::tilde, G::general) && !pair(G::tilde, G::bit) &&
         !pair(G::tilde, G::pattern) && !pair(G::tilde, G::tilde) &&
         !pair(G::pattern, G::pattern) && !pair(G::arrow, G::bit) && !pair(G::arrow, G::tilde) &&
         !pair(G::zone, G::collation);
}

}  // namespace hodor
