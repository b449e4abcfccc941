// Values that change without any input changing: which, and whether only a stamp sees them.
#include <algorithm>

#include "extractor.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

VolatileClass class_of(Volatility volatility) {
  switch (volatility) {
    case Volatility::date:
      return VolatileClass::date;
    case Volatility::session:
      return VolatileClass::session;
    case Volatility::always:
      break;
  }
  return VolatileClass::always;
}

// Strings that the engines read as a moment when they become a date or time.
bool is_moment(std::string_view value) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!value.empty() && is_space(value.front())) value.remove_prefix(1);
  const std::string word = lower_case(value.substr(0, value.find_first_of(" \t\n\r")));
  return word == "now" || word == "today" || word == "tomorrow" || word == "yesterday" ||
         word == "current_date" || word == "current_timestamp";
}

// False for most strings, at a glance: an escape sequence, or a quote before the word, may hide it.
bool may_be_moment(std::string_view token) {
  if (token.find('\\') != std::string_view::npos || token.front() == '$') return true;
  for (const char c : token.substr(token.find_first_of("'\"") + 1)) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    return std::string_view("nNtTyYcC'\"").find(c) != std::string_view::npos;
  }
  return false;
}

// Does any node below need a row, or is it a query of its own?
bool reads_rows(const Tree& tree, NodeId id) {
  switch (tree[id].kind) {
    case NodeKind::column: {
      const VolatileWord* word = tree.names.word(single_name_of(tree, id)).volatile_word;
      return word == nullptr || word->form != VolatileForm::bare ||
             tree.tokens[tree[id].begin].kind != TokenKind::identifier;
    }
    case NodeKind::query:
    case NodeKind::subquery:
    case NodeKind::star:
    case NodeKind::over:
    case NodeKind::opaque:
    case NodeKind::field:
      return true;
    default:
      break;
  }
  for (const NodeId child : children(tree, id)) {
    if (reads_rows(tree, child)) return true;
  }
  return false;
}

// Does GROUP BY or ORDER BY name an output column by its number, or all of them?
bool has_ordinal(const Tree& tree, NodeId clause, int position) {
  if (tree.has(clause, flag::all)) return true;
  for (const NodeId item : children(tree, clause)) {
    const NodeId expr = tree[item].kind == NodeKind::expr ? item : tree.child(item, NodeKind::expr);
    const NodeId operand = expr == kNoNode ? kNoNode : only_operand(tree, expr);
    if (operand == kNoNode || tree[operand].kind != NodeKind::literal) continue;
    if (position == 0 || tree.text(operand) == std::to_string(position)) return true;
  }
  return false;
}

}  // namespace

void Extractor::add_volatile(NodeId id, VolatileClass volatile_class) {
  VolatileCall call;
  call.volatile_class = volatile_class;
  call.text = tree_.text(id);
  volatiles_.push_back({std::move(call), nested_queries_ == 0 ? final_item_ : kNoNode});
}

void Extractor::volatile_word(NodeId id, NameId name, bool bare) {
  const VolatileWord* word = tree_.names.word(name).volatile_word;
  if (word == nullptr) return;
  std::size_t arguments = 0;
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::argument) ++arguments;
  }
  const bool certain_count =
      !bare && tree_[id].kind == NodeKind::call && !tree_.has(id, flag::method) && tree_.exact();
  bool applies = true;
  switch (word->form) {
    case VolatileForm::bare:
      break;
    case VolatileForm::call:
      applies = !bare;
      break;
    case VolatileForm::call0:
      applies = !bare && (!certain_count || arguments == 0);
      break;
    case VolatileForm::call1:
      applies = !bare && (!certain_count || arguments == 1);
      break;
  }
  if (applies) add_volatile(id, class_of(word->volatility));
}

void Extractor::volatile_string(NodeId literal, NodeId expr) {
  for (std::uint32_t i = tree_[literal].begin; i < tree_[literal].end; ++i) {
    if (!is_string(tree_.tokens[i].kind) || !may_be_moment(tree_.token_text(i))) continue;
    std::string value;
    if (!string_value(tree_, i, value)) {
      const std::string_view text = tree_.token_text(i);
      const std::size_t quote = text.find_first_of("'\"");
      if (quote == std::string_view::npos) continue;
      value = text.substr(quote + 1);
      while (!value.empty() && (value.back() == '\'' || value.back() == '"')) value.pop_back();
    }
    if (!is_moment(value)) continue;
    // Alone in its place an untyped string stays a string: `case ... then 'today'`.
    const bool typed = tree_.child(literal, NodeKind::type) != kNoNode;
    if (!typed && plain_text_exprs_[expr]) continue;
    add_volatile(literal, VolatileClass::always);
  }
}

void Extractor::note_run_values(NodeId id) {
  const Node& node = tree_[id];
  if (node.begin >= node.end || options_.run_values.empty()) return;
  noted_.resize(options_.run_values.size());
  const std::size_t begin = tree_.tokens[node.begin].begin;
  const std::size_t end = tree_.tokens[node.end - 1].end;
  bool found = false;
  for (std::size_t i = 0; i < options_.run_values.size(); ++i) {
    const ByteRange& place = options_.run_values[i];
    if (place.begin >= end || place.end <= begin) continue;
    noted_[i] = true;
    found = true;
  }
  if (found) add_volatile(id, VolatileClass::always);
}

// A value of this run that no expression holds (a name, an alias, a file) is logic.
void Extractor::note_other_run_values() {
  noted_.resize(options_.run_values.size());
  for (std::size_t i = 0; i < options_.run_values.size(); ++i) {
    const ByteRange& place = options_.run_values[i];
    if (noted_[i]) continue;
    for (const Token& token : tree_.tokens) {
      if (token.begin >= place.end || token.end <= place.begin) continue;
      VolatileCall call;
      call.text = token.text(tree_.sql);
      volatiles_.push_back({std::move(call), kNoNode});
      break;
    }
  }
}

void Extractor::settle_stamps() {
  note_other_run_values();
  for (Volatile& found : volatiles_) {
    std::string alias;
    const bool stamp =
        options_.stamps && facts_.exact && found.item != kNoNode && may_be_stamp(found.item, alias);
    if (stamp) {
      found.call.use = VolatileUse::stamp;
      found.call.alias = alias;
    }
    facts_.volatile_calls.push_back(std::move(found.call));
  }
}

bool Extractor::may_be_stamp(NodeId item, std::string& alias) const {
  if (tree_.child(item, NodeKind::alias) == kNoNode || !item_name(tree_, item, alias)) return false;
  const NodeId expr = tree_.child(item, NodeKind::expr);
  if (expr == kNoNode || reads_rows(tree_, expr)) return false;
  if (mentioned_[tree_.names.find(alias)]) return false;
  return !final_select_sees(item);
}

// DISTINCT, GROUP BY or ORDER BY by number, or a set operation around the SELECT.
bool Extractor::final_select_sees(NodeId item) const {
  if (tree_.child(final_select_, NodeKind::distinct) != kNoNode) return true;
  int position = 0;
  bool counted = true;
  for (const NodeId other : children(tree_, tree_.child(final_select_, NodeKind::select_list))) {
    ++position;
    const NodeId expr = tree_.child(other, NodeKind::expr);
    const NodeId first = expr == kNoNode ? kNoNode : tree_[expr].first_child;
    if (first == kNoNode || tree_[first].kind == NodeKind::star ||
        tree_[first].kind == NodeKind::call) {
      // A star, and calls such as columns() or unnest(), may be several columns.
      const bool plain_call =
          first != kNoNode && tree_[first].kind == NodeKind::call && !has_many_columns(first);
      counted = counted && plain_call;
    }
    if (other == item) break;
  }
  if (!counted) position = 0;
  const NodeId group = tree_.child(final_select_, NodeKind::group_by);
  if (group != kNoNode && has_ordinal(tree_, group, position)) return true;
  for (const NodeId child : children(tree_, tree_.root)) {
    const bool order =
        tree_[child].kind == NodeKind::order_by || tree_[child].kind == NodeKind::sort_by;
    if (order && has_ordinal(tree_, child, position)) return true;
  }
  return false;
}

bool Extractor::has_many_columns(NodeId call) const {
  const std::string_view name = tree_.names.text(last_name_of(tree_, tree_[call].first_child));
  static constexpr std::string_view kMany[] = {"columns",      "unnest",           "inline",
                                               "inline_outer", "json_tuple",       "stack",
                                               "posexplode",   "posexplode_outer", "unpack"};
  return std::find(std::begin(kMany), std::end(kMany), name) != std::end(kMany);
}

}  // namespace hodor
