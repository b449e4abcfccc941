// Calls that have another spelling.
//
// What: one name for functions that have several (function_synonyms.cpp); count(1) and DuckDB
// count()
//   are count(*); an argument that is the default may be missing; substring(a FROM b FOR c) is
//   substring(a, b, c), trim(BOTH FROM a) is trim(a), trim(BOTH b FROM a) is trim(b FROM a). Spark:
//   string(a) is CAST(a AS STRING), the same for its kin; mod(a, b) is a % b, concat(a, b) is a ||
//   b, shiftleft(a, b) is a << b, regexp_like(a, b) is a RLIKE b.
// Why sound: Spark's parser or its function registry builds the same expression; DuckDB: executed
// on
//   1.5.5 and 2.0.1. count of a number that is not NULL counts rows.
// When not: inside an expression that names a column, but where the name was seen to be the same;
//   DISTINCT; calls with a qualifier, named arguments, or words between the parentheses.
#include <algorithm>
#include <string>

#include "form.hpp"
#include "function_synonyms.hpp"
#include "type_names.hpp"

namespace hodor {
namespace {

struct OperatorFunction {
  std::string_view name;
  std::string_view op;
};
// Spark's function registry has the operator's own expression under these names.
constexpr OperatorFunction kOperators[] = {
    {"mod", "%"},
    {"concat", "||"},
    {"shiftleft", "<<"},
    {"shiftright", ">>"},
    {"shiftrightunsigned", ">>>"},
    {"regexp_like", "rlike"},
    {"rlike", "rlike"},
    {"regexp", "rlike"},
    {"equal_null", "is not distinct from"},
};

// It may stand for any number of arguments: `f(*)`, `f(*COLUMNS(..))`.
bool has_star(const Tree& tree, NodeId expr) {
  const NodeId first = tree[expr].first_child;
  return first != kNoNode && (tree[first].kind == NodeKind::star ||
                              (tree[first].kind == NodeKind::op &&
                               is_symbol(tree.tokens[tree[first].begin], tree.sql, "*")));
}

constexpr std::string_view kCasts[] = {"tinyint", "smallint", "int",     "bigint",
                                       "float",   "double",   "decimal", "date",
                                       "boolean", "string",   "binary",  "timestamp"};

}  // namespace

// The number of arguments when all that stands between the parentheses are plain ones; else more
// than any function has.
std::uint32_t Form::plain_arguments(NodeId id) const {
  constexpr std::uint32_t kOther = 0xffff;
  std::uint32_t count = 0;
  std::uint32_t at = tree_[tree_[id].first_child].end + 1;
  for (NodeId child = tree_[tree_[id].first_child].next; child != kNoNode;
       child = tree_[child].next) {
    if (tree_[child].kind != NodeKind::argument) break;
    const NodeId only = tree_[child].first_child;
    const bool is_plain = tree_[child].begin == at && tree_[child].flags == 0 && only != kNoNode &&
                          only == tree_[child].last_child && tree_[only].kind == NodeKind::expr;
    if (!is_plain || has_star(tree_, only)) return kOther;
    ++count;
    at = tree_[child].end + 1;
  }
  const std::uint32_t closer = count == 0 ? at : at - 1;
  return is_symbol(tree_.tokens[closer], tree_.sql, ")") && tree_[id].flags == 0 ? count : kOther;
}

bool Form::rewritten_call(NodeId id, const WordEntry& word) {
  if (verbatim_ > 0 || is_matched()) return false;
  if (star_count(id, word)) return true;
  return tree_.dialect == Dialect::databricks && rewrites() && tree_[id].end == end_of_call(id) &&
         (cast_call(id, word) || operator_call(id, word));
}

// Behind the closing parenthesis: FILTER, OVER.
std::uint32_t Form::end_of_call(NodeId id) const {
  NodeId last = tree_[id].first_child;
  for (NodeId child = tree_[last].next; child != kNoNode; child = tree_[child].next) {
    if (tree_[child].kind != NodeKind::argument) break;
    last = child;
  }
  return last == tree_[id].first_child ? tree_[last].end + 2 : tree_[last].end + 1;
}

bool Form::star_count(NodeId id, const WordEntry& word) {
  if (word.text != "count") return false;
  const std::uint32_t arguments = plain_arguments(id);
  const bool duckdb = tree_.dialect == Dialect::duckdb;
  const NodeId called = tree_[id].first_child;
  NodeId last = called;
  if (arguments == 0) {
    if (!duckdb) return false;
  } else if (arguments == 1) {
    last = tree_[called].next;
    const NodeId leaf = only_node(tree_[last].first_child);
    if (leaf == kNoNode || !is_number(leaf)) return false;
    // Spark names count(*) count(1).
    const bool is_one = !duckdb && tree_.token_text(tree_[leaf].begin) == "1";
    if (visible_ > 0 && !is_one) return false;
  } else {
    return false;
  }
  preimage_.begin_list(name_of(NodeKind::call));
  preimage_.text("function", word.text);
  preimage_.text("", "(");
  preimage_.begin_list(name_of(NodeKind::argument));
  preimage_.begin_list(name_of(NodeKind::star));
  preimage_.text("", "*");
  preimage_.end_list();
  preimage_.end_list();
  std::uint32_t from = arguments == 0 ? tree_[called].end + 1 : tree_[last].end;
  for (NodeId child = tree_[last].next; child != kNoNode; child = tree_[child].next) {
    own_tokens(id, from, tree_[child].begin);
    node(child);
    from = tree_[child].end;
  }
  own_tokens(id, from, tree_[id].end);
  preimage_.end_list();
  return true;
}

bool Form::cast_call(NodeId id, const WordEntry& word) {
  for (const std::string_view name : kCasts) {
    if (word.text != name) continue;
    if (plain_arguments(id) != 1) return false;
    preimage_.begin_list("cast");
    expr(tree_[tree_[tree_[id].first_child].next].first_child);
    preimage_.begin_list(name_of(NodeKind::type));
    if (name == "decimal") {
      preimage_.text("name", name);
      for (const std::string_view token : {"(", "10", ",", "0", ")"}) preimage_.text("", token);
    } else {
      preimage_.text("name", type_name(name, tree_.dialect));
    }
    preimage_.end_list();
    preimage_.end_list();
    return true;
  }
  return false;
}

bool Form::operator_call(NodeId id, const WordEntry& word) {
  for (const OperatorFunction& function : kOperators) {
    if (word.text != function.name) continue;
    if (plain_arguments(id) != 2) return false;
    const NodeId left = tree_[tree_[id].first_child].next;
    preimage_.begin_list("infix");
    expr(tree_[left].first_child);
    preimage_.text("op", function.op);
    expr(tree_[tree_[left].next].first_child);
    preimage_.end_list();
    return true;
  }
  return false;
}

// What stands between the arguments, and before the first, is nothing but the words of
// `substring(a FROM b FOR c)`, `trim(BOTH a FROM b)`, `trim(BOTH FROM a)`.
bool Form::has_from_form(NodeId id, const WordEntry& word) const {
  const bool is_trim = word.text == "trim";
  const bool duckdb = tree_.dialect == Dialect::duckdb;
  const bool is_substring =
      word.text == "substring" || (word.text == "substr" && visible_ == 0 && !duckdb);
  if ((!is_trim && !is_substring) || tree_[id].flags != 0) return false;
  std::string gaps;
  std::uint32_t from = tree_[tree_[id].first_child].end;
  for (NodeId child = tree_[tree_[id].first_child].next; child != kNoNode;
       child = tree_[child].next) {
    if (tree_[child].kind != NodeKind::argument) break;
    for (; from < tree_[child].begin; ++from) {
      gaps += tree_.keyword[from] != 0 || tree_.tokens[from].kind != TokenKind::identifier
                  ? tree_.token_text(from)
                  : std::string_view("?");
      gaps += ' ';
    }
    gaps += "a ";
    from = tree_[child].end;
  }
  std::transform(gaps.begin(), gaps.end(), gaps.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (is_substring) return gaps == "( a from a " || gaps == "( a from a for a ";
  return gaps == "( both a from a " || gaps == "( both from a ";
}

// A call of a builtin function, from its name on.
void Form::call_tokens(NodeId id, const WordEntry& word) {
  const NodeId called = tree_[id].first_child;
  const std::uint32_t arguments = plain_arguments(id);
  const bool is_from_form = verbatim_ == 0 && !is_matched() && has_from_form(id, word);
  DefaultArgument missing;
  std::string_view name = word.text;
  if (rewrites()) {
    name = function_name(word.text, arguments, tree_.dialect);
    missing = default_argument(name, arguments, tree_.dialect);
  }
  preimage_.text("function", name);
  std::uint32_t from = tree_[called].end;
  const auto own = [&](std::uint32_t end) {
    for (std::uint32_t i = from; is_from_form && i < end; ++i) {
      if (keyword(i, "both")) {
        own_tokens(id, from, i);
        from = i + (keyword(i + 1, "from") ? 2 : 1);
      } else if (word.text != "trim" && (keyword(i, "from") || keyword(i, "for"))) {
        own_tokens(id, from, i);
        preimage_.text("", ",");
        from = i + 1;
      }
    }
    if (from < end) own_tokens(id, from, end);
  };
  std::uint32_t left = arguments;
  for (NodeId child = tree_[called].next; child != kNoNode; child = tree_[child].next) {
    own(tree_[child].begin);
    node(child);
    from = tree_[child].end;
    if (missing.text.empty() || --left != 0) continue;
    preimage_.text("", ",");
    preimage_.begin_list(name_of(NodeKind::argument));
    preimage_.text(missing.is_string ? "string" : name_of(NodeKind::literal), missing.text);
    preimage_.end_list();
  }
  own(tree_[id].end);
}

}  // namespace hodor
