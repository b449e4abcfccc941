// See shown_names.hpp.
#include "shown_names.hpp"

namespace hodor {

bool is_plain(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

bool needs_quotes(const WordEntry& word) {
  return word.word_class != WordClass::none || word.volatile_word != nullptr ||
         word.is_builtin_function;
}

void mark_selects_of_value(const Tree& tree, NodeId subquery, std::vector<bool>& marks) {
  const NodeId query = tree.child(subquery, NodeKind::query);
  if (query == kNoNode) return;
  for (const NodeId body : children(tree, query)) {
    if (tree[body].kind != NodeKind::select) continue;
    marks.resize(tree.nodes.size());
    marks[body] = true;
  }
}

}  // namespace hodor
