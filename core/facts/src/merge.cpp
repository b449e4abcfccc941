#include <algorithm>

#include "hodor/facts/codec.hpp"

namespace hodor {
namespace {

template <class Item>
void add_all(std::vector<Item>& out, const std::vector<Item>& more) {
  out.insert(out.end(), more.begin(), more.end());
}

template <class Item>
void sort_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// Two texts that both read the own relation are more than one high-water mark.
void merge_own(OwnReadFacts& out, const OwnReadFacts& more) {
  if (more.reads == OwnReads::none) return;
  out = out.reads == OwnReads::none ? more : OwnReadFacts{OwnReads::other, false};
}

}  // namespace

Facts merge_facts(const std::vector<const Facts*>& all) {
  Facts merged;
  if (all.empty()) return merged;
  merged.exact = true;
  for (const Facts* one : all) {
    // Bound by structure: a field that is added to Facts does not compile until it is merged here.
    const auto& [exact, relations, paths, files, opaque_inputs, volatile_calls, functions, columns,
                 output_columns, star, order_sensitive, inexact, merges, own] = *one;
    merged.exact = merged.exact && exact;
    add_all(merged.relations, relations);
    add_all(merged.paths, paths);
    add_all(merged.files, files);
    add_all(merged.opaque_inputs, opaque_inputs);
    add_all(merged.volatile_calls, volatile_calls);
    add_all(merged.functions, functions);
    add_all(merged.columns, columns);
    if (one == all.front()) merged.output_columns = output_columns;
    merged.star = merged.star || star;
    merged.order_sensitive = merged.order_sensitive || order_sensitive;
    // What one text makes another may merge.
    merged.order_sensitive =
        merged.order_sensitive || (merged.inexact && merges) || (merged.merges && inexact);
    merged.inexact = merged.inexact || inexact;
    merged.merges = merged.merges || merges;
    merge_own(merged.own, own);
  }
  sort_unique(merged.relations);
  sort_unique(merged.paths);
  sort_unique(merged.files);
  sort_unique(merged.opaque_inputs);
  sort_unique(merged.volatile_calls);
  sort_unique(merged.functions);
  sort_unique(merged.columns);
  return merged;
}

}  // namespace hodor
