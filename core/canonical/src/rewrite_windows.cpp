// Windows.
//
// What: a named window is written where it is used, and its definition goes; OVER (w) is OVER w;
//   ROWS n PRECEDING is ROWS BETWEEN n PRECEDING AND CURRENT ROW.
// Why sound: both engines put the definition in place of the name; a frame with one bound ends at
//   the current row (Spark: AstBuilder.visitWindowSpec; DuckDB: executed).
// When not: a name that the text has anywhere else (Spark tells `w` from `W`, and ORDER BY behind
//   the SELECT may use it), a window that takes another one further, a long definition, DuckDB
//   inside an expression that names a column.
#include "form.hpp"

namespace hodor {
namespace {

constexpr std::uint32_t kLongestWindow = 64;  // tokens: it is written once for each use

}  // namespace

// Uses of a window in a SELECT, outside of the queries in it.
std::uint32_t Form::count_windows(NodeId id, NameId name, std::string_view text) const {
  std::uint32_t count = 0;
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::query) continue;
    if (tree_[child].kind == NodeKind::over) {
      const NodeId spec = tree_[child].first_child;
      const NodeId named =
          tree_[spec].kind == NodeKind::window_spec ? tree_[spec].first_child : spec;
      const bool is_alone = named != kNoNode && tree_[named].kind == NodeKind::name &&
                            (named == spec || tree_[spec].end == tree_[spec].begin + 3);
      if (is_alone && tree_.tokens[tree_[named].begin].name == name &&
          (text.empty() || tree_.token_text(tree_[named].begin) == text)) {
        ++count;
      }
    }
    count += count_windows(child, name, text);
  }
  return count;
}

// Notes the windows of a SELECT that are written where they are used: all or none. Returns how many
// were noted before.
std::size_t Form::open_windows(NodeId select) {
  constexpr std::size_t kMostWindows = 8;
  const std::size_t before = windows_.size();
  const NodeId list = rewrites() ? tree_.child(select, NodeKind::windows) : kNoNode;
  if (list == kNoNode) return before;
  // DuckDB has WINDOW before QUALIFY and nothing else behind it, Databricks may not.
  for (NodeId child = tree_[select].first_child; child != kNoNode; child = tree_[child].next) {
    const bool is_behind = tree_[child].begin > tree_[list].begin;
    const bool may_be_behind =
        tree_[child].kind == NodeKind::qualify && tree_.dialect == Dialect::duckdb;
    const bool is_qualify = tree_[child].kind == NodeKind::qualify;
    if (is_behind ? !may_be_behind : is_qualify) return before;
  }
  for (const NodeId definition : children(tree_, list)) {
    const NodeId name = tree_[definition].first_child;
    const NodeId spec = tree_[definition].last_child;
    const std::uint32_t token = tree_[name].begin;
    const bool is_whole = tree_[spec].kind == NodeKind::window_spec &&
                          tree_.child(spec, NodeKind::name) == kNoNode &&
                          tree_[spec].end - tree_[spec].begin <= kLongestWindow;
    const bool is_plain = tree_.tokens[token].kind == TokenKind::identifier &&
                          is_plain_name(token) && windows_.size() - before < kMostWindows;
    const std::string_view text =
        tree_.dialect == Dialect::databricks ? tree_.token_text(token) : std::string_view();
    std::uint32_t uses = 0;
    if (is_whole && is_plain) uses = count_windows(select, tree_.tokens[token].name, text);
    if (uses == 0 || count_of(token) != uses + 1) {
      windows_.resize(before);
      return before;
    }
    windows_.push_back({select, token, spec});
  }
  return before;
}

// The definition of a window, where it is written at its use.
NodeId Form::window_of(std::uint32_t name_token) const {
  for (const Window& window : windows_) {
    if (window.select == select_ &&
        tree_.tokens[window.token].name == tree_.tokens[name_token].name) {
      return window.spec;
    }
  }
  return kNoNode;
}

// The definition behind a name, and those that it takes further, in an expression that names a
// column: the name has all of it.
void Form::shown_window(NodeId used) {
  constexpr int kMostSteps = 8;
  const NodeId list = select_ == kNoNode ? kNoNode : tree_.child(select_, NodeKind::windows);
  for (int step = 0; list != kNoNode && step < kMostSteps; ++step) {
    const NodeId name =
        tree_[used].kind == NodeKind::name ? used : tree_.child(used, NodeKind::name);
    if (name == kNoNode) return;
    NodeId found = kNoNode;
    for (const NodeId definition : children(tree_, list)) {
      const std::uint32_t token = tree_[tree_[definition].first_child].begin;
      const bool is_it = tree_.tokens[token].name == tree_.tokens[tree_[name].begin].name;
      if (is_it) found = tree_[definition].last_child;
    }
    if (found == kNoNode) return;
    node(found);
    used = found;
  }
}

void Form::over(NodeId id) {
  const NodeId child = tree_[id].first_child;
  if (visible_ > 0 && child != kNoNode && window_of_use(child) == kNoNode) {
    plain(id);
    shown_window(child);
    return;
  }
  if (!rewrites_parsed() || child == kNoNode || child != tree_[id].last_child) {
    plain(id);
    return;
  }
  NodeId name = child;
  if (tree_[child].kind == NodeKind::window_spec && tree_[child].end == tree_[child].begin + 3) {
    name = tree_[child].first_child;
  }
  if (name == kNoNode || tree_[name].kind != NodeKind::name) {
    plain(id);
    return;
  }
  const NodeId spec = window_of(tree_[name].begin);
  // DuckDB takes no window with a frame into parentheses.
  if (name != child && tree_.dialect == Dialect::duckdb &&
      (spec == kNoNode || tree_.child(spec, NodeKind::frame) != kNoNode)) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::over));
  own_tokens(id, tree_[id].begin, tree_[child].begin);
  node(spec == kNoNode ? name : spec);
  preimage_.end_list();
}

// The definition that stands for a use, where definitions are written at their uses.
NodeId Form::window_of_use(NodeId used) const {
  if (!rewrites_parsed()) return kNoNode;
  const NodeId name = tree_[used].kind == NodeKind::window_spec ? tree_[used].first_child : used;
  return name != kNoNode && tree_[name].kind == NodeKind::name ? window_of(tree_[name].begin)
                                                               : kNoNode;
}

void Form::frame(NodeId id) {
  const Node& node = tree_[id];
  const bool is_short = rewrites_parsed() && !keyword(node.begin + 1, "between") &&
                        (keyword(node.end - 1, "preceding") || keyword(node.end - 1, "row")) &&
                        !keyword(node.end - 3, "exclude");
  if (!is_short) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::frame));
  own_tokens(id, node.begin, node.begin + 1);
  preimage_.text("", "between");
  std::uint32_t from = node.begin + 1;
  for (const NodeId child : children(tree_, id)) {
    own_tokens(id, from, tree_[child].begin);
    this->node(child);
    from = tree_[child].end;
  }
  own_tokens(id, from, node.end);
  for (const std::string_view word : {"and", "current", "row"}) preimage_.text("", word);
  preimage_.end_list();
}

}  // namespace hodor
