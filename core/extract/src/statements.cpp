// Hooks and other texts of several statements: what kind each is, what it writes and reads.
#include <algorithm>
#include <array>

#include "extractor.hpp"
#include "hodor/extract/analyze.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/syntax/parser.hpp"

namespace hodor {
namespace {

using Words = std::vector<std::string>;

// The bare words of a statement, lower case; other tokens are empty.
Words words_of(const Tree& tree) {
  Words words;
  for (const Token& token : tree.tokens) {
    const bool bare = token.kind == TokenKind::identifier;
    words.push_back(bare ? lower_case(token.text(tree.sql)) : std::string());
  }
  return words;
}

bool starts(const Words& words, std::initializer_list<std::string_view> with) {
  return words.size() >= with.size() && std::equal(with.begin(), with.end(), words.begin());
}

bool has_word(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// ALTER TABLE t SET TAGS (...), SET TBLPROPERTIES (...) and their UNSET.
bool is_tag_change(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "set" && words[i] != "unset") continue;
    return words[i + 1] == "tags" || words[i + 1] == "tblproperties";
  }
  return false;
}

StatementKind kind_of_create(const Words& words) {
  std::size_t i = 1;
  if (starts(words, {"create", "or", "replace"})) i = 3;
  const std::string first = i < words.size() ? words[i] : "";
  if (first == "schema" || first == "database" || first == "index") return StatementKind::harmless;
  if (first == "unique") return StatementKind::harmless;
  if (first == "temp" || first == "temporary") return StatementKind::session;
  if (first == "macro" || first == "function") return StatementKind::session;
  const bool object = first == "table" || first == "view" || first == "materialized";
  return object ? StatementKind::write : StatementKind::opaque;
}

StatementKind kind_of(const Tree& tree, const Words& words) {
  if (tree[tree.root].kind == NodeKind::query) return StatementKind::query;
  const std::string& first = words.front();
  const auto is = [&first](std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), first) != list.end();
  };
  if (is({"insert", "update", "delete", "merge", "truncate", "drop"})) return StatementKind::write;
  if (first == "alter")
    return is_tag_change(words) ? StatementKind::harmless : StatementKind::write;
  if (first == "create") return kind_of_create(words);
  if (is({"grant", "revoke", "analyze", "optimize", "vacuum", "comment", "checkpoint"})) {
    return StatementKind::harmless;
  }
  if (starts(words, {"force", "checkpoint"}) || starts(words, {"refresh", "table"})) {
    return StatementKind::harmless;
  }
  if (starts(words, {"set", "tag"}) || starts(words, {"unset", "tag"})) {
    return StatementKind::harmless;
  }
  if (starts(words, {"load", "data"})) return StatementKind::loads;
  if (is({"set", "reset", "use", "pragma", "load", "begin", "start", "commit"})) {
    return StatementKind::session;
  }
  if (is({"call", "attach", "detach", "install", "import"})) return StatementKind::loads;
  if (first == "copy") return has_word(words, "to") ? StatementKind::opaque : StatementKind::loads;
  return StatementKind::opaque;
}

StatementFacts facts_of(const Tree& tree, const ExtractOptions& options) {
  StatementFacts statement;
  const Words words = words_of(tree);
  statement.kind = kind_of(tree, words);
  statement.facts = extract_facts(tree, options);
  if (tree[tree.root].kind == NodeKind::statement) {
    const NodeId path = tree.child(tree.root, NodeKind::path);
    if (path != kNoNode) statement.target = RelationName{names_in(tree, path), false};
  }
  const bool needs_target = statement.kind == StatementKind::write;
  const bool words_only =
      statement.kind == StatementKind::harmless || statement.kind == StatementKind::loads;
  if (needs_target && !statement.target) statement.kind = StatementKind::opaque;
  if (!tree.exact() && !words_only) statement.kind = StatementKind::opaque;
  if (statement.kind == StatementKind::opaque) statement.facts.exact = false;
  if (!needs_target || statement.kind != StatementKind::write) statement.target.reset();
  return statement;
}

}  // namespace

StatementsAnalysis analyze_statements(std::string_view sql, Dialect dialect,
                                      const AnalyzeOptions& options) {
  const CodeText text(sql, dialect, options.run_values);
  StatementsAnalysis analysis;
  analysis.code_hash = CodeHasher(text, options.relation_ids).hash();
  if (text.tier() == CodeTier::text) {
    analysis.statements.emplace_back();  // opaque
    return analysis;
  }
  ExtractOptions extract;
  extract.own = options.own;
  extract.stamps = false;
  for (const RunValuePlace& place : text.run_value_places()) {
    extract.run_values.push_back({place.begin, place.end});
  }
  for (const TokenRange& range : split_statements(text.tokens(), text.sql())) {
    const Tree tree = parse_statement(text.sql(), dialect, text.lexed(), range);
    analysis.statements.push_back(facts_of(tree, extract));
  }
  return analysis;
}

}  // namespace hodor
