// Names, walks, dumps and checks of the syntax tree.
#include "hodor/syntax/ast.hpp"

#include <vector>

#include "hodor/syntax/lexer.hpp"

namespace hodor {

std::string_view name_of(NodeKind kind) {
  static constexpr std::string_view kNames[] = {
#define NODE(name, children) #name,
#include "hodor/syntax/ast.def"
#undef NODE
  };
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view Tree::text(NodeId id) const {
  const Node& node = nodes[id];
  if (node.begin >= node.end) return {};
  const std::uint32_t begin = tokens[node.begin].begin;
  return sql.substr(begin, tokens[node.end - 1].end - begin);
}

std::vector<std::string> names_in(const Tree& tree, NodeId id) {
  std::vector<std::string> names;
  for (std::uint32_t i = tree[id].begin; i < tree[id].end; ++i) {
    const Token& token = tree.tokens[i];
    if (token.kind == TokenKind::identifier || token.kind == TokenKind::quoted_identifier) {
      names.push_back(name_value(token, tree.sql));
    }
  }
  return names;
}

// A stack of ids instead of recursion: a tree may be as deep as limits::kSqlNesting.
std::string dump(const Tree& tree, NodeId root) {
  struct Line {
    NodeId id;
    int depth;
  };
  std::string out;
  std::vector<Line> open{{root, 0}};
  while (!open.empty()) {
    const Line line = open.back();
    open.pop_back();
    const Node& node = tree[line.id];
    out.append(static_cast<std::size_t>(line.depth) * 2, ' ');
    out += name_of(node.kind);
    if (node.flags != 0) out += " #" + std::to_string(node.flags);
    if (node.first_child == kNoNode && node.begin < node.end) {
      out += " ";
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        if (i > node.begin) out += "·";
        out += tree.token_text(i);
      }
    }
    out += "\n";
    std::vector<NodeId> below;
    for (const NodeId child : children(tree, line.id)) below.push_back(child);
    for (std::size_t i = below.size(); i > 0; --i) open.push_back({below[i - 1], line.depth + 1});
  }
  return out;
}

std::string check_shape(const Tree& tree) {
  const auto where = [&](NodeId id) {
    return std::string(name_of(tree[id].kind)) + " " + std::to_string(id);
  };
  std::vector<std::uint8_t> seen(tree.nodes.size(), 0);
  std::vector<NodeId> open{tree.root};
  seen[tree.root] = 1;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = tree[id];
    if (node.begin > node.end || node.end >= tree.tokens.size()) return "bounds of " + where(id);
    std::uint32_t reached = node.begin;
    NodeId last = kNoNode;
    for (const NodeId child : children(tree, id)) {
      if (child >= tree.nodes.size()) return "child index in " + where(id);
      if (seen[child] != 0) return "two parents of " + where(child);
      seen[child] = 1;
      if (tree[child].begin < reached || tree[child].end > node.end)
        return "span of " + where(child);
      reached = tree[child].end;
      last = child;
      open.push_back(child);
    }
    if (last != node.last_child) return "last child of " + where(id);
  }
  return {};
}

}  // namespace hodor
