// Queries, FROM and aliases in the canonical text, and the text as a whole.
#include <memory>
#include <utility>

#include "hodor/canonical/canonical_text.hpp"
#include "text.hpp"

namespace hodor {

void TextForm::query(NodeId id) {
  if (id == tree_.root) return plain(id);
  lines_.indent();
  lines_.line();
  plain(id);
  lines_.dedent();
  lines_.line();
}

void TextForm::select(NodeId id) {
  const NodeId outer = std::exchange(select_, id);
  select_parts(id);
  select_ = outer;
}

// FROM t SELECT a is SELECT a FROM t.
void TextForm::select_parts(NodeId id) {
  const NodeId first = tree_[id].first_child;
  if (!tree_.has(id, flag::from_first) || tree_.child(id, NodeKind::select_list) == kNoNode ||
      is_symbol(tree_.tokens[tree_[first].end - 1], tree_.sql, ",")) {  // a last one counts there
    return plain(id);
  }
  std::uint32_t begin = tree_[first].end;
  bool from_is_printed = false;
  for (NodeId child = tree_[first].next; child != kNoNode; child = tree_[child].next) {
    own_tokens(id, begin, tree_[child].begin);
    break_before(id, child);
    node(child);
    begin = tree_[child].end;
    if (tree_[child].kind != NodeKind::select_list || from_is_printed) continue;
    lines_.line();
    node(first);
    from_is_printed = true;
  }
  own_tokens(id, begin, tree_[id].end);
}

void TextForm::select_item(NodeId id) {
  const NodeId alias = tree_.child(id, NodeKind::alias);
  const NodeId first = tree_[id].first_child;
  const bool is_before =
      alias != kNoNode && alias == first && tree_[first].next == tree_[id].last_child;  // `a: 1`
  if (is_before && is_plain_alias(tree_, tree_[alias].begin)) {
    node(tree_[first].next);
    lines_.put("as");
    return node(tree_[alias].first_child);
  }
  const bool is_value = select_ < values_.size() && values_[select_];
  const NodeId only = tree_[first].first_child;
  const bool is_column =
      only != kNoNode && only == tree_[first].last_child && tree_[only].kind == NodeKind::column;
  if (alias == kNoNode && !is_value && visible_ == 0 && !is_column) {
    ++visible_;
    grouping_.keep_chains(true);
    visible_item(id, first);
    --visible_;
    grouping_.keep_chains(visible_ > 0);
  } else {
    plain(id);
  }
}

// Parentheses around all of an item tell what its name can be looked for by.
void TextForm::visible_item(NodeId id, NodeId first) {
  const NodeId inside = verbatim_ == 0 ? grouping_.in_parens(first) : kNoNode;
  if (inside == kNoNode) return plain(id);
  const NodeId only = tree_[inside].first_child;
  const bool is_column = only == tree_[inside].last_child && tree_[only].kind == NodeKind::column;
  if (!is_column && select_ == tree_.child(tree_.root, NodeKind::select)) return plain(id);
  lines_.put("(");
  expr(inside);
  lines_.put(")");
  own_tokens(id, tree_[first].end, tree_[id].end);
}

// Items with commas between them, and one a line when there are several.
void TextForm::list(NodeId id) {
  const bool is_long =
      tree_[id].kind != NodeKind::group_by && tree_[id].first_child != tree_[id].last_child;
  std::uint32_t from = tree_[id].begin;
  const NodeId first = tree_[id].first_child;
  for (const NodeId child : children(tree_, id)) {
    if (child != first) lines_.put(",");
    own_tokens(id, from, tree_[child].begin);
    if (is_long && child == first) lines_.indent();
    if (is_long) lines_.line();
    node(child);
    from = tree_[child].end;
  }
  own_tokens(id, from, tree_[id].end);
  if (is_long) lines_.dedent();
}

void TextForm::from(NodeId id) {
  if (is_first_) {
    std::vector<std::uint32_t> sources;
    note_twins(id, sources);
  }
  list(id);
}

// Two relations of one name in one FROM need other names.
void TextForm::note_twins(NodeId from, std::vector<std::uint32_t>& sources) const {
  for (const NodeId child : children(tree_, from)) {
    const NodeKind kind = tree_[child].kind;
    if (kind == NodeKind::from_item || kind == NodeKind::join || kind == NodeKind::from_group) {
      note_twins(child, sources);
    }
    const NodeId path = kind == NodeKind::relation ? tree_.child(child, NodeKind::path) : kNoNode;
    const std::uint32_t source = path == kNoNode ? kNone : names_.source_of(tree_[path].end - 1);
    if (source == kNone) continue;
    const auto name = [&](std::uint32_t each) {
      return tree_.tokens[names_.scopes().sources[each].path_token].name;
    };
    for (const std::uint32_t other : sources) {
      if (name(other) != name(source)) continue;
      names_.note_twice(other);
      names_.note_twice(source);
    }
    sources.push_back(source);
  }
}

// Behind an alias a sample stands elsewhere than behind a name.
void TextForm::note_sample(NodeId factor) {
  const NodeId next = tree_[factor].next;
  const NodeId alias = tree_.child(factor, NodeKind::alias);
  const NodeId named = alias == kNoNode ? kNoNode : tree_.child(alias, NodeKind::name);
  if (!is_first_ || next == kNoNode || tree_[next].kind != NodeKind::sample || named == kNoNode) {
    return;
  }
  const std::uint32_t source = names_.source_of(tree_[named].begin);
  if (source != kNone) names_.note_twice(source);
}

void TextForm::from_item(NodeId id) {
  if (visible_ > 0) return plain(id);
  std::uint32_t from = tree_[id].begin;
  std::uint32_t named = kNone;  // the source that an alias before it names
  for (const NodeId child : children(tree_, id)) {
    own_tokens(id, from, tree_[child].begin);
    from = tree_[child].end;
    const NodeKind kind = tree_[child].kind;
    if (kind == NodeKind::alias) {
      const std::uint32_t token = tree_[child].begin;
      if (names_.use(token).kind == NameUse::Kind::dropped) named = names_.source_of(token);
      if (named == kNone) node(child);
      continue;
    }
    break_before(id, child);
    node(child);
    note_sample(child);
    const NodeId path = kind == NodeKind::relation ? tree_.child(child, NodeKind::path) : kNoNode;
    if (path != kNoNode && named == kNone && tree_.child(child, NodeKind::alias) == kNoNode) {
      const std::uint32_t last = tree_[path].end - 1;
      const NameUse::Kind use = names_.use(last).kind;
      if (use == NameUse::Kind::dropped || use == NameUse::Kind::cte) {
        named = names_.source_of(last);
      }
      const bool is_alone = path == tree_[child].first_child && path == tree_[child].last_child;
      if (named != kNone && !is_alone && is_first_) names_.note_no_alias(named);
    }
    if (named != kNone && names_.needs_alias(named) && !names_.keeps_own_name(named)) {
      source_alias(named);
    }
    named = kNone;
  }
  own_tokens(id, from, tree_[id].end);
}

void TextForm::relation(NodeId id) {
  const NodeId first = tree_.child(id, NodeKind::path);
  if (first == kNoNode || first != tree_[id].first_child) return plain(id);
  own_tokens(id, tree_[id].begin, tree_[first].begin);
  path(first);
  rest(id, first);
}

void TextForm::source_alias(std::uint32_t source) {
  lines_.put("as");
  const std::uint32_t kept = names_.kept_source(source);
  if (kept == kNone) {
    lines_.put(names_.new_source(source));
  } else {
    written_name(kept, true, false);
  }
}

void TextForm::alias(NodeId id) {
  const NodeId named = tree_.child(id, NodeKind::name);
  const bool is_before = is_symbol(tree_.tokens[tree_[id].end - 1], tree_.sql, ":");
  if (named == kNoNode || is_before) return plain(id);
  const std::uint32_t token = tree_[named].begin;
  const std::uint32_t source = names_.source_of(token);
  if (visible_ == 0 && names_.use(token).kind == NameUse::Kind::dropped && source != kNone) {
    const bool has_columns = tree_.child(id, NodeKind::column_names) != kNoNode;
    if (!has_columns && !names_.needs_alias(source)) return;
    source_alias(source);
    return rest(id, named);
  }
  const std::uint32_t begin = tree_[id].begin;
  // A column of this name with an alias: there AS counts.
  const bool is_interval = begin > 1 && is_word(tree_.tokens[begin - 1], tree_.sql, "interval") &&
                           !is_symbol(tree_.tokens[begin - 2], tree_.sql, "::");
  if (is_plain_alias(tree_, token) && !is_interval) {
    lines_.put("as");
  } else {
    own_tokens(id, begin, token);
  }
  node(named);
  rest(id, named);
}

void TextForm::condition(NodeId id) {
  const NodeId only = tree_[id].first_child;
  if (only == kNoNode || only != tree_[id].last_child) return plain(id);
  NodeId inside = grouping_.in_parens(only);
  const bool is_single = inside != kNoNode && tree_[inside].first_child == tree_[inside].last_child;
  if (is_single && tree_.dialect == Dialect::databricks) {
    ++verbatim_;
    plain(id);
    --verbatim_;
    return;
  }
  if (inside == kNoNode || visible_ > 0) inside = only;
  own_tokens(id, tree_[id].begin, tree_[only].begin);
  breaks_ = true;
  expr(inside);
  breaks_ = false;
  own_tokens(id, tree_[only].end, tree_[id].end);
}

void TextForm::grouping(NodeId id) {
  const bool has_sets =
      tree_[id].kind == NodeKind::grouping_sets || tree_.has(id, flag::grouping_sets);
  if (!has_sets && verbatim_ == 0) return list(id);
  const std::uint32_t sets = has_sets ? 1 : 0;
  verbatim_ += sets;
  plain(id);
  verbatim_ -= sets;
}

// In parentheses a name is no item's name.
void TextForm::order_item(NodeId id) {
  const NodeId first = tree_[id].first_child;
  const NodeId inside = first != kNoNode && tree_[first].kind == NodeKind::expr && verbatim_ == 0
                            ? grouping_.in_parens(first)
                            : kNoNode;
  if (inside == kNoNode) return plain(id);
  lines_.put("(");
  expr(inside);
  lines_.put(")");
  own_tokens(id, tree_[first].end, tree_[id].end);
}

CanonicalText::CanonicalText(const Tree& tree, const CodeHasher& tokens, const KnownColumns& known)
    : tree_(tree), tokens_(tokens), naming_(std::make_unique<const Naming>(tree, known)) {}

CanonicalText::~CanonicalText() = default;

std::string CanonicalText::whole(NewNames new_names) const {
  TextNames names(tree_, *naming_, new_names);
  TextForm(tree_, tokens_, names, true).node(tree_.root);
  names.forget_new();
  TextForm form(tree_, tokens_, names, false);
  form.node(tree_.root);
  return form.take();
}

std::string CanonicalText::piece(NodeId id) const {
  if (piece_names_ == nullptr) {
    piece_names_ = std::make_unique<TextNames>(tree_, *naming_, NewNames::none_in_piece);
    TextForm(tree_, tokens_, *piece_names_, true).node(tree_.root);
  }
  TextForm form(tree_, tokens_, *piece_names_, false);
  form.select_of_piece(tree_.child(tree_.root, NodeKind::select));
  form.node(id);
  return form.take();
}

std::string spaced_text(std::string_view sql, const std::vector<Token>& tokens) {
  std::string text;
  std::size_t end = tokens.size() - 1;
  while (end > 0 && is_symbol(tokens[end - 1], sql, ";")) --end;
  for (std::size_t i = 0; i < end; ++i) {
    const Token& t = tokens[i];
    if (i > 0) {
      const Token& before = tokens[i - 1];
      const bool joins = is_string(before.kind) && is_string(t.kind);
      if (t.odd_space_before || (joins && t.block_comment_before)) {
        text += sql.substr(before.end, t.begin - before.end);
      } else if (t.space_before) {
        text += joins && t.newline_before ? '\n' : ' ';
      }
    }
    text += t.text(sql);
  }
  return text;
}

}  // namespace hodor
