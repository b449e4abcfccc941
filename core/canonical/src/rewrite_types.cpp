// Types, collations and other words with a default.
//
// What: DECIMAL is DECIMAL(10, 0) on Spark and DECIMAL(18, 3) on DuckDB, DECIMAL(n) is DECIMAL(n,
// 0);
//   DuckDB VARCHAR(n) is VARCHAR, and the case of a collation's name does not count; Spark UNPIVOT
//   EXCLUDE NULLS is UNPIVOT.
// Why sound: Spark: DecimalType.USER_DEFAULT, AstBuilder.visitUnpivot. DuckDB: typeof and values on
//   1.5.5 and 2.0.1; its VARCHAR has no length.
// When not: DuckDB inside an expression that names a column; Spark VARCHAR(n), which is a type of
// its
//   own on Databricks.
#include "form.hpp"
#include "type_names.hpp"

namespace hodor {
namespace {

// A few digits: others may be an error.
bool is_parameter(const Tree& tree, std::uint32_t token) {
  constexpr std::size_t kMostDigits = 9;
  const std::string_view text = tree.token_text(token);
  return tree.tokens[token].kind == TokenKind::number && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool Form::default_scale(NodeId id, NodeId path) {
  const bool duckdb = tree_.dialect == Dialect::duckdb;
  if (verbatim_ > 0 || is_matched() || (duckdb && visible_ > 0)) return false;
  const std::uint32_t from = tree_[path].end;
  const std::uint32_t size = tree_[id].end - from;
  std::string_view precision = duckdb ? "18" : "10";
  std::string_view scale = duckdb ? "3" : "0";
  if (size == 3 && is_parameter(tree_, from + 1)) {
    precision = tree_.token_text(from + 1);
    scale = "0";
  } else if (size != 0) {
    return false;
  }
  for (const std::string_view token :
       {std::string_view("("), precision, std::string_view(","), scale, std::string_view(")")}) {
    preimage_.text("", token);
  }
  return true;
}

bool Form::has_ignored_length(NodeId id, NodeId path) const {
  const std::uint32_t from = tree_[path].end;
  return tree_.dialect == Dialect::duckdb && rewrites() && tree_[id].end == from + 3 &&
         is_word(tree_.tokens[tree_[path].begin], tree_.sql, "varchar") &&
         is_symbol(tree_.tokens[from], tree_.sql, "(") && is_parameter(tree_, from + 1);
}

bool Form::collation(NodeId id) {
  const NodeId name = tree_[id].first_child;
  const bool is_plain = tree_.dialect == Dialect::duckdb && rewrites() &&
                        tree_[id].kind == NodeKind::op && keyword(tree_[id].begin, "collate") &&
                        tree_[name].end == tree_[name].begin + 1 &&
                        tree_.tokens[tree_[name].begin].kind == TokenKind::identifier;
  if (!is_plain) return false;
  preimage_.begin_list(name_of(NodeKind::op));
  preimage_.text("collate", tree_.names.text(tree_.tokens[tree_[name].begin].name));
  preimage_.end_list();
  return true;
}

// Words of UNPIVOT EXCLUDE NULLS.
bool Form::is_excluded_nulls(NodeId id, std::uint32_t token) const {
  const std::uint32_t first = tree_[id].begin + 1;
  return tree_.dialect == Dialect::databricks && tree_[id].kind == NodeKind::unpivot &&
         (token == first || token == first + 1) && keyword(first, "exclude") &&
         keyword(first + 1, "nulls");
}

}  // namespace hodor
