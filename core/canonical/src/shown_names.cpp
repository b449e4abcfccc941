// See shown_names.hpp.
#include "shown_names.hpp"

namespace hodor {

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
