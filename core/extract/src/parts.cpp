// See parts.hpp.
#include "parts.hpp"

#include <algorithm>
#include <string>

#include "extractor.hpp"
#include "hodor/base/preimage.hpp"
#include "hodor/base/sha256.hpp"

namespace hodor {

std::vector<std::uint8_t> foldable_keywords(const Tree& tree) {
  if (!tree.exact()) return {};
  std::vector<std::uint8_t> keyword = tree.keyword;
  for (NodeId id = 1; id < tree.nodes.size(); ++id) {
    if (tree[id].kind != NodeKind::select_item) continue;
    if (tree.child(id, NodeKind::alias) != kNoNode) continue;
    for (std::uint32_t i = tree[id].begin; i < tree[id].end; ++i) keyword[i] = 0;
  }
  return keyword;
}

std::vector<Part> hash_parts(const Tree& tree, const CodeHasher& hasher) {
  std::vector<Part> parts;
  std::vector<TokenRange> named;
  if (tree[tree.root].kind != NodeKind::query) return parts;
  const auto add = [&](PartKind kind, std::string name, NodeId id) {
    const TokenRange range{tree[id].begin, tree[id].end};
    named.push_back(range);
    parts.push_back({kind, std::move(name), hasher.hash_range(range)});
  };
  const NodeId with = tree.child(tree.root, NodeKind::with);
  if (with != kNoNode) {
    for (const NodeId cte : children(tree, with)) {
      const NodeId name = tree.child(cte, NodeKind::name);
      if (name != kNoNode) add(PartKind::cte, names_in(tree, name).front(), cte);
    }
  }
  const NodeId select = tree.child(tree.root, NodeKind::select);
  const NodeId list = select == kNoNode ? kNoNode : tree.child(select, NodeKind::select_list);
  int position = 0;
  if (list != kNoNode) {
    for (const NodeId item : children(tree, list)) {
      ++position;
      std::string name;
      if (!item_name(tree, item, name)) name = std::string("#").append(std::to_string(position));
      add(PartKind::column, std::move(name), item);
    }
  }
  // The rest, with a mark where a named part was taken out.
  std::sort(named.begin(), named.end());
  Preimage rest;
  std::uint32_t from = 0;
  for (const TokenRange& range : named) {
    rest.text("", hasher.hash_range({from, range.begin}));
    from = range.end;
  }
  rest.text("", hasher.hash_range({from, static_cast<std::uint32_t>(tree.tokens.size() - 1)}));
  parts.push_back({PartKind::body, "", sha256_hex(rest.bytes())});
  return parts;
}

}  // namespace hodor
