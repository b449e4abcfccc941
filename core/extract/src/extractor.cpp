// The walk over expressions and clauses: calls, names, subqueries.
#include "extractor.hpp"

#include <algorithm>

#include "exactness.hpp"
#include "hodor/syntax/lexer.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

// Calls of the grammar that are no function of the engine's catalog.
bool is_call_of_grammar(Dialect dialect, std::string_view name) {
  static constexpr std::string_view kBoth[] = {"all", "any", "array", "exists", "some", "row"};
  static constexpr std::string_view kDuckdb[] = {"columns", "map", "cube", "rollup", "unpack"};
  const auto in = [name](const auto& list) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  return in(kBoth) || (dialect == Dialect::duckdb && in(kDuckdb)) || name == "cube" ||
         name == "rollup";
}

}  // namespace

NameId last_name_of(const Tree& tree, NodeId id) {
  for (std::uint32_t i = tree[id].end; i > tree[id].begin; --i) {
    if (is_name(tree.tokens[i - 1].kind)) return tree.tokens[i - 1].name;
  }
  return kNoName;
}

std::string last_name(const Tree& tree, NodeId id) {
  return std::string(tree.names.text(last_name_of(tree, id)));
}

NameId single_name_of(const Tree& tree, NodeId id) {
  NameId found = kNoName;
  int names = 0;
  for (std::uint32_t i = tree[id].begin; i < tree[id].end; ++i) {
    if (!is_name(tree.tokens[i].kind)) continue;
    ++names;
    found = tree.tokens[i].name;
  }
  return names == 1 ? found : kNoName;
}

NodeId only_operand(const Tree& tree, NodeId expr) {
  if (tree[expr].kind != NodeKind::expr) return kNoNode;
  const NodeId first = tree[expr].first_child;
  return first == tree[expr].last_child ? first : kNoNode;
}

bool string_value(const Tree& tree, std::uint32_t token, std::string& value) {
  const std::string_view text = tree.token_text(token);
  value.clear();
  if (tree.tokens[token].kind == TokenKind::dollar_string) {
    const std::size_t tag = text.find('$', 1) + 1;
    value = text.substr(tag, text.size() - 2 * tag);
    return true;
  }
  if (tree.tokens[token].kind != TokenKind::string || text.size() < 2) return false;
  if (tree.dialect != Dialect::duckdb && text.find('\\') != std::string_view::npos) return false;
  const char quote = text.front();
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    value.push_back(text[i]);
    if (text[i] == quote) ++i;
  }
  return true;
}

std::uint32_t item_name_token(const Tree& tree, NodeId item) {
  const NodeId alias = tree.child(item, NodeKind::alias);
  if (alias != kNoNode) {
    const NodeId node = tree.child(alias, NodeKind::name);
    return node == kNoNode ? kNone : tree[node].begin;
  }
  const NodeId expr = tree.child(item, NodeKind::expr);
  const NodeId operand = expr == kNoNode ? kNoNode : only_operand(tree, expr);
  if (operand == kNoNode || tree[operand].kind != NodeKind::column) return kNone;
  std::uint32_t token = tree[operand].end - 1;
  while (!is_name(tree.tokens[token].kind)) --token;
  return token;
}

// DuckDB takes a string for an alias.
bool name_at(const Tree& tree, std::uint32_t token, std::string& name) {
  if (token == kNone) return false;
  if (is_string(tree.tokens[token].kind)) return string_value(tree, token, name);
  name = name_value(tree.tokens[token], tree.sql);
  return true;
}

bool item_name(const Tree& tree, NodeId item, std::string& name) {
  return name_at(tree, item_name_token(tree, item), name);
}

Extractor::Extractor(const Tree& tree, const ExtractOptions& options)
    : tree_(tree),
      options_(options),
      plain_text_exprs_(tree.nodes.size()),
      mentioned_(tree.names.size()),
      called_(tree.names.size()),
      columns_name_(tree.names.find("columns")),
      rowid_name_(tree.names.find("rowid")),
      metadata_name_(tree.names.find("_metadata")) {}

Facts Extractor::run() {
  facts_.exact = tree_.exact();
  Shape shape;
  if (tree_[tree_.root].kind == NodeKind::query) {
    const NodeId body = [&] {
      for (const NodeId id : children(tree_, tree_.root)) {
        if (tree_[id].kind != NodeKind::with) return id;
      }
      return kNoNode;
    }();
    const bool plain = body != kNoNode && tree_[body].kind == NodeKind::select &&
                       tree_.child(tree_.root, NodeKind::pipe) == kNoNode;
    if (plain) final_select_ = body;
    shape = query(tree_.root, {});
  } else {
    walk_children(tree_.root, {});
  }
  if (shape.open) facts_.star = true;
  list_names();
  if (shape.named && !shape.open) name_output(shape.columns);
  if (!facts_.exact) {
    facts_.star = true;
    facts_.order_sensitive = true;
    facts_.output_columns.clear();
  }
  const Exactness exactness = judge_exactness(tree_, final_select_);
  facts_.inexact = exactness.inexact;
  facts_.merges = exactness.merges;
  facts_.order_sensitive |= exactness.mixes && tree_.dialect == Dialect::duckdb;
  settle_stamps();
  facts_.own = judge_own_reads(tree_, own_relations_);
  // A text that is not understood may read anything.
  if (!facts_.exact && !options_.own.empty()) facts_.own = {OwnReads::other, false};
  normalize(facts_);
  return std::move(facts_);
}

// The columns of the result, unless two have one name: the engine renames some then.
void Extractor::name_output(const std::vector<std::uint32_t>& tokens) {
  std::vector<std::string> folded;
  for (const std::uint32_t token : tokens) {
    std::string name;
    name_at(tree_, token, name);
    folded.push_back(lower_case(name));
    facts_.output_columns.push_back(std::move(name));
  }
  std::sort(folded.begin(), folded.end());
  if (std::adjacent_find(folded.begin(), folded.end()) != folded.end()) {
    facts_.output_columns.clear();
  }
}

void Extractor::list_names() {
  for (NameId name = 0; name < tree_.names.size(); ++name) {
    if (mentioned_[name]) facts_.columns.emplace_back(tree_.names.text(name));
    if (called_[name]) facts_.functions.emplace_back(tree_.names.text(name));
  }
}

void Extractor::walk_children(NodeId id, const Place& place) {
  for (const NodeId child : children(tree_, id)) walk(child, place);
}

void Extractor::walk(NodeId id, const Place& place) {
  order_marks(id);
  switch (tree_[id].kind) {
    case NodeKind::query:
      subquery_in_expression(id, place, false);
      return;
    case NodeKind::subquery:
      subquery_in_expression(tree_.child(id, NodeKind::query), place, false);
      return;
    case NodeKind::column:
      column(id, place);
      return;
    case NodeKind::call:
      call(id, place);
      return;
    case NodeKind::star: {
      Shape shape;
      star(id, place, shape);
      if (shape.open) facts_.star = true;
      return;
    }
    case NodeKind::literal:
      literal(id);
      walk_children(id, place);
      return;
    case NodeKind::expr:
      for (const NodeId child : children(tree_, id)) {
        if (tree_[child].kind == NodeKind::literal) volatile_string(child, id);
        walk(child, place);
      }
      return;
    case NodeKind::using_columns:
      for (const NodeId child : children(tree_, id)) mention_names(child);
      return;
    case NodeKind::field:
    case NodeKind::json_path:
      mention_names(id);
      walk_children(id, place);
      return;
    case NodeKind::relation:
    case NodeKind::from_item: {
      Sources sources{place.sources, {}};
      if (tree_[id].kind == NodeKind::relation) {
        relation(id, place, sources);
      } else {
        from_item(id, place, sources);
      }
      return;
    }
    case NodeKind::select_item:
    case NodeKind::case_when:
    case NodeKind::list:
    case NodeKind::row:
    case NodeKind::entry:
      mark_plain_texts(id);
      walk_children(id, place);
      return;
    case NodeKind::type:
      type(id);
      walk_children(id, place);
      return;
    case NodeKind::opaque:
      note_run_values(id);
      walk_children(id, place);
      return;
    default:
      walk_children(id, place);
      return;
  }
}

void Extractor::literal(NodeId id) {
  note_run_values(id);
  const std::uint32_t first = tree_[id].begin;
  const bool parameter = tree_.tokens[first].kind == TokenKind::parameter;
  if (!parameter && tree_.token_text(first) != ":") return;
  facts_.opaque_inputs.push_back("parameter " + std::string(tree_.text(id)));
}

void Extractor::subquery_in_expression(NodeId id, const Place& place, bool exists) {
  if (id == kNoNode) return;
  ++nested_queries_;
  const Shape shape = query(id, place);
  --nested_queries_;
  if (shape.open && !exists) facts_.star = true;
}

void Extractor::mention_names(NodeId id) {
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
    if (is_name(tree_.tokens[i].kind)) mentioned_[tree_.tokens[i].name] = true;
  }
}

void Extractor::column(NodeId id, const Place& place) {
  mention_names(id);
  note_run_values(id);
  std::size_t names = 0;
  NameId first = kNoName;
  NameId last = kNoName;
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
    if (!is_name(tree_.tokens[i].kind)) continue;
    last = tree_.tokens[i].name;
    if (names++ == 0) first = last;
    if (tree_.dialect != Dialect::duckdb && last != kNoName && last == metadata_name_) {
      add_volatile(id, VolatileClass::always);
    }
  }
  if (names == 0) return;
  const Token& token = tree_.tokens[tree_[id].begin];
  if (names == 1 && token.kind == TokenKind::identifier) volatile_word(id, first, true);
  if (tree_.dialect == Dialect::duckdb && last != kNoName && last == rowid_name_) {
    facts_.order_sensitive = true;
  }
  if (names != 1) return;
  // `select t from t`: the whole row, so the value follows the schema of t.
  for (const Sources* sources = place.sources; sources != nullptr; sources = sources->outer) {
    for (const Sources::Source& source : sources->list) {
      if (source.name == first && source.shape.open) facts_.star = true;
    }
  }
}

void Extractor::call(NodeId id, const Place& place) {
  const NodeId path = tree_[id].first_child;
  const bool is_path = path != kNoNode && tree_[path].kind == NodeKind::path;
  std::vector<NameId> names;
  const Node& named = tree_[is_path ? path : id];
  for (std::uint32_t i = named.begin; i < named.end; ++i) {
    if (!is_name(tree_.tokens[i].kind)) continue;
    names.push_back(tree_.tokens[i].name);
    if (!is_path) break;  // a call inside of an opaque run
  }
  const NameId last_id = names.empty() ? kNoName : names.back();
  const std::string_view last = tree_.names.text(last_id);
  std::string name;
  if (names.size() > 1) {
    for (const NameId part : names) {
      if (!name.empty()) name.push_back('.');
      name.append(tree_.names.text(part));
    }
  } else {
    name = last;
  }
  if (tree_.child(id, NodeKind::within_group) != kNoNode &&
      (name == "percentile_cont" || name == "percentile_disc") &&
      tree_.dialect == Dialect::duckdb) {
    name = "quantile" + name.substr(10);  // the grammar's spelling
  }
  const bool grammar = names.size() == 1 && is_call_of_grammar(tree_.dialect, name);
  if (!grammar && names.size() == 1 && name == last) {
    called_[last_id] = true;
  } else if (!grammar) {
    facts_.functions.push_back(name);
  }
  if (names.size() > 1 && !tree_.has(id, flag::method)) {
    // On DuckDB `a.f(x)` may be the method call f(a, x) on a column.
    for (const NameId part : names) mentioned_[part] = true;
  }
  volatile_word(id, last_id, false);
  if (id != table_function_ && is_order_sensitive_call(tree_, id)) facts_.order_sensitive = true;
  if (last == "columns") {
    for (const Sources* s = place.sources; s != nullptr; s = s->outer) {
      for (const Sources::Source& source : s->list) facts_.star |= source.shape.open;
    }
  }
  if (last == "identifier" && tree_.dialect != Dialect::duckdb) {
    facts_.opaque_inputs.push_back(std::string(tree_.text(id)));
  }
  for (const NodeId child : children(tree_, id)) {
    if (child == path && is_path) continue;
    const NodeId inner = tree_[child].first_child;
    const bool argument = tree_[child].kind == NodeKind::argument && inner != kNoNode;
    if (argument && tree_[inner].kind == NodeKind::query) {
      subquery_in_expression(inner, place, last == "exists");
    } else if (argument && tree_.has(id, flag::star_argument) && last == "count") {
      continue;
    } else {
      walk(child, place);
    }
  }
}

// A string that is all of an item, a branch or an element stays a string.
void Extractor::mark_plain_texts(NodeId id) {
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::expr && only_operand(tree_, child) != kNoNode) {
      plain_text_exprs_[child] = true;
    }
  }
}

// A type that the engine does not have is a user's: nothing versions it.
void Extractor::type(NodeId id) {
  const NodeId path = tree_.child(id, NodeKind::path);
  if (path == kNoNode || tree_.dialect != Dialect::duckdb) return;
  static constexpr std::string_view kTypes[] = {
#include "duckdb_types.inc"
  };
  static const WordSet types(Dialect::duckdb, kTypes);
  // Several words without a '.' are the grammar's own: double precision.
  const std::uint32_t begin = tree_[path].begin;
  const bool dotted = tree_[path].end - begin > 1 && tree_.token_text(begin + 1) == ".";
  if (!dotted && types.has(tree_.names, tree_.tokens[begin].name)) return;
  facts_.opaque_inputs.push_back("type " + std::string(tree_.text(path)));
}

void normalize(Facts& facts) {
  const auto tidy = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  tidy(facts.relations);
  tidy(facts.paths);
  tidy(facts.files);
  tidy(facts.opaque_inputs);
  tidy(facts.volatile_calls);
  tidy(facts.functions);
  tidy(facts.columns);
}

Facts extract_facts(const Tree& tree, const ExtractOptions& options) {
  return Extractor(tree, options).run();
}

std::vector<TokenRange> relation_name_ranges(const Tree& tree) {
  std::vector<TokenRange> ranges;
  for (const Node& node : tree.nodes) {
    if (node.kind != NodeKind::relation || node.first_child == kNoNode) continue;
    const Node& path = tree[node.first_child];
    if (path.kind == NodeKind::path) ranges.push_back({path.begin, path.end});
  }
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

}  // namespace hodor
