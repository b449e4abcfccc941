// See canonical_form.hpp for the pre-image; the rules that drop tokens are in is_dropped.
#include "form.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hodor/syntax/words.hpp"
#include "shown_names.hpp"
#include "type_names.hpp"

namespace hodor {

void Form::node(NodeId id) {
  if (rewritten(id)) return;
  switch (tree_[id].kind) {
    case NodeKind::expr:
      expr(id);
      return;
    case NodeKind::select:
      select(id);
      return;
    case NodeKind::select_item:
      select_item(id);
      return;
    case NodeKind::cast:
      if (tree_.has(id, flag::try_cast) ||
          tree_[tree_[id].first_child].next != tree_[id].last_child) {
        break;
      }
      cast(tree_[id].last_child, nullptr, tree_[id].first_child);
      return;
    case NodeKind::type:
      type(id);
      return;
    case NodeKind::pivot:
    case NodeKind::unpivot:
    case NodeKind::pivot_query:
      ++verbatim_;
      plain(id);
      as_written(id);
      --verbatim_;
      return;
    case NodeKind::name:
    case NodeKind::column:
      names(id);
      return;
    case NodeKind::literal:
      literal(id);
      return;
    case NodeKind::star:
      star(id);
      return;
    case NodeKind::call:
      call(id);
      return;
    case NodeKind::where:
    case NodeKind::having:
    case NodeKind::qualify:
    case NodeKind::on:
      condition(id);
      return;
    case NodeKind::relation:
      preimage_.begin_list(name_of(NodeKind::relation));
      path(tree_[id].first_child);
      rest(id, tree_[id].first_child);
      preimage_.end_list();
      return;
    case NodeKind::alias:
      if (is_dropped_alias(id)) return;
      break;
    case NodeKind::grouping_sets:
    case NodeKind::group_by:
      grouping(id);
      return;
    default:
      break;
  }
  plain(id);
}

// Kinds of nodes that only rewrites write in their own way.
bool Form::rewritten(NodeId id) {
  switch (tree_[id].kind) {
    case NodeKind::query:
      query(id);
      return true;
    case NodeKind::with:
      with(id, kNoNode);
      return true;
    case NodeKind::cte:
      cte(id);
      return true;
    case NodeKind::set_operations:
      set_operations(id);
      return true;
    case NodeKind::set_operator:
      set_operator(id);
      return true;
    case NodeKind::table_query:
      table_query(id);
      return true;
    case NodeKind::fetch:
      fetch(id);
      return true;
    case NodeKind::row:
      row(id);
      return true;
    case NodeKind::from:
      from(id);
      return true;
    case NodeKind::windows:
      return !windows_.empty() && windows_.back().select == select_;
    case NodeKind::over:
      over(id);
      return true;
    case NodeKind::frame:
      frame(id);
      return true;
    case NodeKind::case_when:
      case_when(id);
      return true;
    case NodeKind::interval:
      interval(id);
      return true;
    case NodeKind::sort_by:  // CLUSTER BY and DISTRIBUTE BY take no words behind a key
      if (keyword(tree_[id].begin, "sort")) return false;
      ++verbatim_;
      plain(id);
      --verbatim_;
      return true;
    case NodeKind::pipe: {  // its items and keys are none of the SELECT around it
      const NodeId outer = std::exchange(select_, kNoNode);
      plain(id);
      select_ = outer;
      return true;
    }
    default:
      return false;
  }
}

void Form::plain(NodeId id) {
  preimage_.begin_list(name_of(tree_[id].kind));
  rest(id, kNoNode);
  preimage_.end_list();
}

// One token that is neither a name nor holds a value of this run: as one field.
void Form::literal(NodeId id) {
  const std::uint32_t token = tree_[id].begin;
  const TokenKind kind = tree_.tokens[token].kind;
  const bool is_plain = tree_[id].end == token + 1 && tree_[id].first_child == kNoNode &&
                        (kind == TokenKind::number || kind == TokenKind::string) &&
                        !tokens_.holds_run_value(token);
  // json '{}' is no JSON '{}', but for the grammar's own types.
  const bool is_shown = visible_ > 0 && tree_.dialect == Dialect::duckdb &&
                        tree_.tokens[token].word_class != WordClass::column_name &&
                        tree_[id].first_child != kNoNode;
  if (!is_shown) {
    if (is_plain && kind == TokenKind::number && number_literal(token)) return;
    if (is_string(kind) ? string_literal(id) : typed_literal(id)) return;
  }
  if (is_shown) {
    preimage_.begin_list(name_of(NodeKind::literal));
    const std::uint32_t value = tree_[tree_[id].first_child].end;
    for (std::uint32_t i = token; i < value; ++i) tokens_.add_as_written(preimage_, {i, i + 1});
    own_tokens(id, value, tree_[id].end);
    preimage_.end_list();
  } else if (is_plain) {
    preimage_.text(name_of(NodeKind::literal), tree_.token_text(token));
  } else {
    plain(id);
  }
}

// Parentheses within sets of groups are sets.
void Form::grouping(NodeId id) {
  const bool has_sets =
      tree_[id].kind == NodeKind::grouping_sets || tree_.has(id, flag::grouping_sets);
  const std::uint32_t sets = has_sets ? 1 : 0;
  if (!has_sets && group_by(id)) return;
  verbatim_ += sets;
  plain(id);
  verbatim_ -= sets;
}

// Own tokens and children after one child, or all of them.
void Form::rest(NodeId id, NodeId after) {
  std::uint32_t from = after == kNoNode ? tree_[id].begin : tree_[after].end;
  NodeId child = after == kNoNode ? tree_[id].first_child : tree_[after].next;
  for (; child != kNoNode; child = tree_[child].next) {
    own_tokens(id, from, tree_[child].begin);
    node(child);
    from = tree_[child].end;
  }
  own_tokens(id, from, tree_[id].end);
}

// WHERE (x): all of a condition may stand in parentheses, a literal, too.
void Form::condition(NodeId id) {
  const bool was_in_on = in_on_;
  in_on_ = tree_[id].kind == NodeKind::on;
  const bool is_where = tree_[id].kind == NodeKind::where;
  const NodeId matched = matched_select_;
  if (is_where) matched_select_ = kNoNode;
  if (!is_where || !where(id)) condition_as_it_is(id);
  matched_select_ = matched;
  in_on_ = was_in_on;
}

void Form::condition_as_it_is(NodeId id) {
  const NodeId only = tree_[id].first_child;
  const NodeId inside =
      only != kNoNode && only == tree_[id].last_child ? grouping_.in_parens(only) : kNoNode;
  const bool is_single = inside != kNoNode && tree_[inside].first_child == tree_[inside].last_child;
  if (is_single && tree_.dialect == Dialect::databricks) {
    // Spark may take `WHERE (b)` for an alias with a list of columns.
    ++verbatim_;
    plain(id);
    --verbatim_;
    return;
  }
  if (inside == kNoNode || visible_ > 0) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(tree_[id].kind));
  own_tokens(id, tree_[id].begin, tree_[only].begin);
  expr(inside);
  own_tokens(id, tree_[only].end, tree_[id].end);
  preimage_.end_list();
}

void Form::own_tokens(NodeId id, std::uint32_t begin, std::uint32_t end) {
  std::uint32_t from = begin;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (!is_dropped(id, i)) continue;
    if (i > from) tokens_.add_tokens(preimage_, {from, i});
    from = i + 1;
  }
  if (end > from) tokens_.add_tokens(preimage_, {from, end});
}

// Words and commas that say nothing beyond what the tree says.
bool Form::is_dropped(NodeId id, std::uint32_t token) const {
  const Node& node = tree_[id];
  const bool is_shown = visible_ > 0 && tree_.dialect == Dialect::duckdb;
  if (is_shown && node.kind == NodeKind::order_item) return false;  // DuckDB names columns by ASC
  const std::string_view sql = tree_.sql;
  const Token& t = tree_.tokens[token];
  const auto keyword = [&](std::string_view word) {
    return tree_.keyword[token] != 0 && is_word(t, sql, word);
  };
  const auto before = [&](std::string_view word) {
    return token > node.begin && is_word(tree_.tokens[token - 1], sql, word);
  };
  switch (node.kind) {
    case NodeKind::query:
      return id == tree_.root && is_symbol(t, sql, ";");
    case NodeKind::select:
      return keyword("all");
    case NodeKind::select_list:
      return is_symbol(t, sql, ",");
    case NodeKind::from:
      // A last one: DuckDB 1.5 does not take it where FROM comes first.
      return is_symbol(t, sql, ",") &&
             (token + 1 < node.end || !tree_.has(select_, flag::from_first));
    case NodeKind::group_by:
      return verbatim_ == 0 && is_symbol(t, sql, ",");
    case NodeKind::alias:
      // `interval as x` is no interval, `y::interval as x` is no other thing without AS.
      return keyword("as") && is_plain_name(token + 1) &&
             (!is_word(tree_.tokens[token - 1], sql, "interval") ||
              (token > 1 && is_symbol(tree_.tokens[token - 2], sql, "::")));
    case NodeKind::order_item:
      return (keyword("asc") && verbatim_ == 0) || is_dropped_null_order(id, token);
    case NodeKind::join:
      // Right before JOIN, and OUTER after its side: other orders are no SQL, though the parser
      // takes them.
      if (is_dropped_side(id, token)) return true;
      if (!is_word(tree_.tokens[token + 1], sql, "join")) return false;
      return (keyword("inner") && (token == node.begin || before("natural") || before("asof"))) ||
             (keyword("outer") && (before("left") || before("right") || before("full")));
    case NodeKind::set_operator:
      return keyword("distinct");
    case NodeKind::list:  // DuckDB ARRAY[..]
      return token == node.begin && keyword("array") && rewrites() &&
             tree_.child(id, NodeKind::name) == kNoNode;  // no comprehension
    case NodeKind::unpivot:                               // EXCLUDE NULLS is Spark's default
      return is_excluded_nulls(id, token);
    default:
      return false;
  }
}

// A name that no engine takes for anything else where AS is missing.
bool Form::is_plain_name(std::uint32_t token) const {
  const Token& t = tree_.tokens[token];
  if (t.kind == TokenKind::quoted_identifier) return true;
  if (t.kind != TokenKind::identifier) return false;
  // DuckDB 2 takes most keywords for an alias without AS, 1.5 takes none.
  return t.word_class == WordClass::none ||
         (tree_.dialect == Dialect::databricks && t.word_class == WordClass::unreserved);
}

// FROM t SELECT a is SELECT a FROM t.
void Form::select(NodeId id) {
  const NodeId outer = select_;
  select_ = id;
  const NodeId outer_given = given_select_;
  const NodeId outer_name = given_name_;
  given_select_ = id;
  given_name_ = std::exchange(given_names_, kNoNode);
  const std::size_t windows = open_windows(id);
  const NodeId outer_matched = matched_select_;
  matched_select_ = matches_expressions(id) ? id : kNoNode;
  select_parts(id);
  matched_select_ = outer_matched;
  windows_.resize(windows);
  given_select_ = outer_given;
  given_name_ = outer_name;
  select_ = outer;
}

void Form::select_parts(NodeId id) {
  if (!tree_.has(id, flag::from_first) || tree_.child(id, NodeKind::select_list) == kNoNode) {
    plain(id);
    return;
  }
  const NodeId from = tree_[id].first_child;
  preimage_.begin_list(name_of(NodeKind::select));
  std::uint32_t begin = tree_[from].end;
  bool from_is_written = false;
  for (NodeId child = tree_[from].next; child != kNoNode; child = tree_[child].next) {
    own_tokens(id, begin, tree_[child].begin);
    node(child);
    begin = tree_[child].end;
    if (tree_[child].kind != NodeKind::select_list || from_is_written) continue;
    node(from);
    from_is_written = true;
  }
  own_tokens(id, begin, tree_[id].end);
  preimage_.end_list();
}

// The node that is all of an expression; kNoNode for operators, and for parentheses.
NodeId Form::only_node(NodeId expr) const {
  const std::optional<Term> only = grouping_.single(expr);
  return only ? only->node : kNoNode;
}

NodeId Form::opened_node(NodeId expr) const {
  const NodeId inside = grouping_.in_parens(expr);
  return only_node(inside == kNoNode ? expr : inside);
}

bool Form::is_number(NodeId literal) const {
  const std::uint32_t token = tree_[literal].begin;
  return tree_[literal].kind == NodeKind::literal && tree_[literal].end == token + 1 &&
         tree_.tokens[token].kind == TokenKind::number && !tokens_.holds_run_value(token);
}

void Form::count_words() {
  counts_.resize(tree_.names.size());
  for (const Token& token : tree_.tokens) ++counts_[token.name];
}

// Definitions have numbers in the order in which they are written, so that one that is not written
// moves no other.
std::int64_t Form::numbered(std::uint32_t definition) {
  if (definition >= numbers_.size()) numbers_.resize(std::size_t{definition} * 2 + 16);
  if (numbers_[definition] == 0) numbers_[definition] = ++last_number_;
  return numbers_[definition];
}

// An item without an alias takes its column's name from its text, if it is no plain column.
void Form::select_item(NodeId id) {
  const NodeId alias = tree_.child(id, NodeKind::alias);
  const NodeId first = tree_[id].first_child;
  preimage_.begin_list(name_of(NodeKind::select_item));
  const bool is_before = alias != kNoNode && alias == first &&
                         tree_[first].next == tree_[id].last_child &&
                         is_plain_name(tree_[tree_[alias].first_child].begin);
  if (is_before) {  // `a: 1`
    node(tree_[first].next);
    preimage_.begin_list(name_of(NodeKind::alias));
    node(tree_[alias].first_child);
    preimage_.end_list();
  } else if (!rewritten_item(first, alias != kNoNode && alias == tree_[id].last_child &&
                                            tree_[first].next == alias
                                        ? alias
                                        : kNoNode)) {
    rest(id, kNoNode);
    const bool is_value = select_ < values_.size() && values_[select_];
    const bool is_named = alias == kNoNode && !is_value && visible_ == 0 &&
                          !is_plain_column(first) && !is_named_by_sources(first);
    if (is_named) visible(first);
  }
  preimage_.end_list();
}

bool Form::is_plain_column(NodeId expr) const {
  const NodeId only = tree_[expr].first_child;
  return only != kNoNode && only == tree_[expr].last_child && tree_[only].kind == NodeKind::column;
}

// The engine names the column after the expression that it has parsed: names, types and literals
// count as they are written, parentheses and keywords do not.
void Form::visible(NodeId id) {
  preimage_.begin_list("visible");
  ++visible_;
  grouping_.keep_chains(true);
  expr(id);
  --visible_;
  grouping_.keep_chains(visible_ > 0);
  preimage_.end_list();
}

void Form::as_written(NodeId id) {
  preimage_.begin_list("as_written");
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
    const Token& t = tree_.tokens[i];
    if (is_excluded_nulls(id, i)) continue;
    const bool is_called = t.kind == TokenKind::identifier &&
                           is_symbol(tree_.tokens[i + 1], tree_.sql, "(") &&
                           tree_.names.word(t.name).is_builtin_function;
    if (is_called) {
      preimage_.text("function", tree_.names.text(t.name));
    } else if (tree_.keyword[i] != 0) {
      tokens_.add_tokens(preimage_, {i, i + 1});
    } else {
      name(i, {NameUse::Kind::keeps_case, 0});
    }
  }
  preimage_.end_list();
}

void Form::expr(NodeId id) {
  const std::uint32_t outer = matched_;
  if (matched_select_ != kNoNode && matched_select_ == select_) ++matched_;
  expr_by_terms(id);
  matched_ = outer;
}

void Form::expr_by_terms(NodeId id) {
  if (verbatim_ > 0) {
    plain(id);
    return;
  }
  if (const std::optional<Term> only = grouping_.single(id)) {
    leaf(only->node);
    return;
  }
  const std::size_t before = grouping_.size();
  const std::optional<std::uint32_t> root = grouping_.group(id);
  if (root) {
    term(*root);
    grouping_.release(before);
  } else {
    plain(id);
  }
}

void Form::leaf(NodeId id) {
  if (tree_[id].kind == NodeKind::subquery && !sees_made_names_) {
    mark_selects_of_value(tree_, id, values_);
  }
  node(id);
}

void Form::term(std::uint32_t number) {
  const Term found = grouping_[number];
  switch (found.kind) {
    case Term::Kind::leaf:
      leaf(found.node);
      return;
    case Term::Kind::prefix:
      if (found.level.group == OperatorGroup::negation && negated_term(found)) {
        return;
      }
      preimage_.begin_list("prefix");
      op(found.node);
      term(found.operands[0]);
      preimage_.end_list();
      return;
    case Term::Kind::postfix:
      if (tree_[found.node].kind == NodeKind::cast_postfix &&
          is_symbol(tree_.tokens[tree_[found.node].begin], tree_.sql, "::")) {
        cast(tree_[found.node].first_child, &found, kNoNode);
        return;
      }
      preimage_.begin_list("postfix");
      term(found.operands[0]);
      op(found.node);
      preimage_.end_list();
      return;
    case Term::Kind::infix:
      chain(number);
      return;
    case Term::Kind::three:
      preimage_.begin_list("three");
      term(found.operands[0]);
      op(found.node);
      term(found.operands[1]);
      op(found.second);
      term(found.operands[2]);
      preimage_.end_list();
      return;
  }
}

// a + b - c: operators of one level, grouped to the left, are one list. Long ones would be too deep
// a tree for a recursive walk.
void Form::chain(std::uint32_t number) {
  if (in_on_ && swapped_equality(grouping_[number])) return;
  preimage_.begin_list("infix");
  links(number);
  preimage_.end_list();
}

void Form::op(NodeId id) {
  if (tree_[id].kind != NodeKind::op || tree_[id].first_child != kNoNode) {
    if (!collation(id)) node(id);
    return;
  }
  preimage_.text("op", operator_text(id));
}

void Form::cast(NodeId type_node, const Term* operand, NodeId expr_node) {
  preimage_.begin_list("cast");
  if (operand != nullptr) {
    term(operand->operands[0]);
  } else {
    expr(expr_node);
  }
  node(type_node);
  preimage_.end_list();
}

void Form::type(NodeId id) {
  const NodeId path = tree_[id].first_child;
  const bool is_word = path != kNoNode && tree_[path].kind == NodeKind::path &&
                       tree_[path].end == tree_[path].begin + 1 &&
                       tree_.tokens[tree_[path].begin].kind == TokenKind::identifier;
  if (!is_word) {
    plain(id);
    return;
  }
  const Token& word = tree_.tokens[tree_[path].begin];
  const std::string_view written = word.text(tree_.sql);
  const bool is_duckdb = tree_.dialect == Dialect::duckdb;
  // The grammar's own types. DuckDB 2 names a column by the others as they are written, Spark by
  // what it understood.
  const bool is_grammars = is_duckdb && word.word_class == WordClass::column_name;
  const bool is_single = (path == tree_[id].last_child && tree_[path].end == tree_[id].end) ||
                         has_ignored_length(id, path);
  const bool is_list = is_duckdb && is_symbol(tree_.tokens[tree_[path].end], tree_.sql, "[");
  std::string_view name = decimal_name(written);
  const bool as_parsed = is_duckdb && (visible_ > 0 || is_matched());
  if (name.empty() && (is_single || is_list) && (!as_parsed || is_grammars)) {
    name = type_name(written, tree_.dialect);
  }
  if (name.empty() && is_grammars) name = tree_.names.text(word.name);
  if (name.empty()) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::type));
  preimage_.text("name", name);
  const bool says_nothing =
      (decimal_name(written).empty() ? has_ignored_length(id, path) : default_scale(id, path));
  if (!says_nothing) rest(id, path);
  preimage_.end_list();
}

CanonicalForm canonical_form(const Tree& tree, const CodeHasher& tokens,
                             const KnownColumns& known) {
  Naming naming(tree, known);
  CanonicalForm form;
  Preimage& preimage = form.preimage;
  preimage.reserve(tree.sql.size() * 2 + 256);
  preimage.text("kind", "code");
  preimage.text("dialect", tree.dialect == Dialect::duckdb ? "duckdb" : "databricks");
  preimage.text("tier", "canonical");
  Form(tree, tokens, naming, preimage).node(tree.root);
  form.assumes = std::move(naming).assumes();
  return form;
}

}  // namespace hodor
