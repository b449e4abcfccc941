// See parts.hpp.
#include "parts.hpp"

#include <algorithm>
#include <string>
#include <utility>

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

namespace {

// What a clause of the main query is called; empty for what is no clause.
std::string_view clause_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::from:
      return "from";
    case NodeKind::where:
      return "where";
    case NodeKind::group_by:
      return "group by";
    case NodeKind::having:
      return "having";
    case NodeKind::qualify:
      return "qualify";
    case NodeKind::windows:
      return "window";
    case NodeKind::lateral_view:
      return "lateral view";
    case NodeKind::order_by:
      return "order by";
    case NodeKind::sort_by:
      return "sort by";
    case NodeKind::limit:
    case NodeKind::offset:
    case NodeKind::fetch:
      return "limit";
    case NodeKind::sample:
      return "sample";
    case NodeKind::pipe:
      return "|>";
    default:
      return {};
  }
}

class PartList {
 public:
  PartList(const Tree& tree, const CodeHasher& hasher, const CanonicalText* text)
      : tree_(tree), hasher_(hasher), text_(text) {}

  std::vector<Part> list();

 private:
  std::string text_of(NodeId id) const;
  void add(PartKind kind, std::string name, NodeId id);
  void add_clause(NodeId id, std::string_view name);
  void columns(NodeId list);
  void select(NodeId id);
  void hash();

  const Tree& tree_;
  const CodeHasher& hasher_;
  const CanonicalText* text_;
  std::vector<Part> parts_;
  Part body_{PartKind::body, {}, {}, {}};
};

// Without a canonical form, the tokens stand for the text.
std::string PartList::text_of(NodeId id) const {
  if (text_ != nullptr) return text_->piece(id);
  return hasher_.hash_range({tree_[id].begin, tree_[id].end});
}

void PartList::add(PartKind kind, std::string name, NodeId id) {
  parts_.push_back({kind, std::move(name), {}, text_of(id)});
}

// One of each name: what several LATERAL VIEW say is one part.
void PartList::add_clause(NodeId id, std::string_view name) {
  for (Part& part : parts_) {
    if (part.kind != PartKind::clause || part.name != name) continue;
    part.text.append("\n").append(text_of(id));
    return;
  }
  add(PartKind::clause, std::string(name), id);
}

void PartList::columns(NodeId list) {
  int position = 0;
  for (const NodeId item : children(tree_, list)) {
    ++position;
    std::string name;
    if (!item_name(tree_, item, name)) name = std::string("#").append(std::to_string(position));
    body_.text.append(position == 1 ? " " : ", ").append(name);
    add(PartKind::column, std::move(name), item);
  }
}

void PartList::select(NodeId id) {
  body_.text += "select";
  for (const NodeId child : children(tree_, id)) {
    const std::string_view name = clause_name(tree_[child].kind);
    if (tree_[child].kind == NodeKind::select_list) {
      columns(child);
    } else if (!name.empty()) {
      add_clause(child, name);
    } else {
      body_.text.append(" ").append(text_of(child));
    }
  }
}

std::vector<Part> PartList::list() {
  for (const NodeId child : children(tree_, tree_.root)) {
    const std::string_view name = clause_name(tree_[child].kind);
    if (tree_[child].kind == NodeKind::with) {
      if (tree_.has(child, flag::recursive)) body_.text += "with recursive\n";
      for (const NodeId cte : children(tree_, child)) {
        const NodeId named = tree_.child(cte, NodeKind::name);
        if (named != kNoNode) add(PartKind::cte, names_in(tree_, named).front(), cte);
      }
    } else if (tree_[child].kind == NodeKind::select) {
      select(child);
    } else if (!name.empty()) {
      add_clause(child, name);
    } else {
      body_.text.append(text_of(child));
    }
  }
  hash();
  return std::move(parts_);
}

void PartList::hash() {
  Preimage body;
  body.text("kind", "body");
  body.text("", body_.text);
  for (Part& part : parts_) {
    Preimage own;
    own.text("kind", "part");
    own.text("", part.text);
    part.hash = sha256_hex(own.bytes());
    if (part.kind == PartKind::clause) body.text(part.name, part.hash);
  }
  body_.hash = sha256_hex(body.bytes());
  parts_.push_back(std::move(body_));
}

}  // namespace

std::vector<Part> hash_parts(const Tree& tree, const CodeHasher& hasher, const CanonicalText* text,
                             bool keeps_texts) {
  if (tree[tree.root].kind != NodeKind::query) return {};
  std::vector<Part> parts = PartList(tree, hasher, text).list();
  for (Part& part : parts) {
    if (!keeps_texts || text == nullptr) part.text.clear();
  }
  return parts;
}

void count_opaque(const Tree& tree, std::size_t* runs, std::size_t* tokens) {
  std::uint32_t end = 0;
  std::vector<TokenRange> found;
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::opaque && node.end > node.begin) {
      found.push_back({node.begin, node.end});
    }
  }
  std::sort(found.begin(), found.end(), [](const TokenRange& a, const TokenRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  for (const TokenRange& range : found) {
    if (range.begin < end) continue;  // within another
    end = range.end;
    ++*runs;
    *tokens += range.end - range.begin;
  }
}

}  // namespace hodor
