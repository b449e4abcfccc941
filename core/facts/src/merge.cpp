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

std::string lower_ascii(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool names_column(const Facts& facts, std::string_view alias) {
  return std::find(facts.columns.begin(), facts.columns.end(), alias) != facts.columns.end();
}

// A stamp stays one only while no text beside its own names its column: a condition of a MERGE, a
// hook that deletes by it.
void count_named_stamps(const std::vector<const Facts*>& all, std::size_t own,
                        std::vector<VolatileCall>& calls) {
  for (VolatileCall& call : calls) {
    if (call.use != VolatileUse::stamp) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != own && names_column(*all[i], lower_ascii(call.alias))) {
        call.use = VolatileUse::logic;
        call.alias.clear();
        break;
      }
    }
  }
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
  std::size_t at = 0;
  for (const Facts* one : all) {
    // Bound by structure: a field that is added to Facts does not compile until it is merged here.
    const auto& [exact, relations, paths, files, opaque_inputs, volatile_calls, functions, columns,
                 output_columns, star, order_sensitive, inexact, merges, own] = *one;
    merged.exact = merged.exact && exact;
    add_all(merged.relations, relations);
    add_all(merged.paths, paths);
    add_all(merged.files, files);
    add_all(merged.opaque_inputs, opaque_inputs);
    std::vector<VolatileCall> calls = volatile_calls;
    count_named_stamps(all, at++, calls);
    add_all(merged.volatile_calls, calls);
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
