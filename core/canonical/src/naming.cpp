// See naming.hpp. A name is renamed only when *all* of its occurrences in the text are definitions
// or references that are resolved: one that is not could mean another thing by the new name.
#include "naming.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

void tidy(std::vector<Gap>& gaps) {
  std::sort(gaps.begin(), gaps.end());
  gaps.erase(std::unique(gaps.begin(), gaps.end()), gaps.end());
}

}  // namespace

Naming::Naming(const Tree& tree, const KnownColumns& known)
    : tree_(tree), scopes_(resolve_names(tree, known)), uses_(tree.tokens.size()) {
  // `q.c`: the table has the column, whatever else could lack it.
  read_of_.reserve(scopes_.references.size());
  for (const Reference& reference : scopes_.references) {
    if (reference.source == kNone) continue;
    const Source& source = scopes_.sources[reference.source];
    const NameId name = ascii_name(tree, tree[reference.node].begin + 2);
    read_of_.push_back({reference.source, name});
    if (source.shape.open.size() != 1 || reference.definition != kNone) continue;
    owned_.push_back({source.shape.open[0], name});
  }
  tidy(read_of_);
  tidy(owned_);
  is_owned_.resize(tree.names.size());
  for (const Gap& gap : owned_) is_owned_[gap.column] = true;
  assumed_.reserve(scopes_.references.size());
  std::vector<std::uint32_t> open(tree.names.size());
  count_names(open);
  settle();
  list_assumptions();
}

void Naming::list_assumptions() {
  if (assumed_.empty()) return;
  tidy(assumed_);
  // By text, as the order of the text must not count. The names of tables have long equal starts,
  // so each is compared once.
  std::vector<std::uint32_t> tables(scopes_.tables.size());
  std::iota(tables.begin(), tables.end(), 0u);
  std::sort(tables.begin(), tables.end(), [this](std::uint32_t a, std::uint32_t b) {
    return scopes_.tables[a] < scopes_.tables[b];
  });
  std::vector<std::string_view> columns;
  assumes_.reserve(assumed_.size());
  for (const std::uint32_t table : tables) {
    columns.clear();
    for (auto gap = std::lower_bound(assumed_.begin(), assumed_.end(), Gap{table, 0});
         gap != assumed_.end() && gap->table == table; ++gap) {
      columns.push_back(tree_.names.text(gap->column));
    }
    std::sort(columns.begin(), columns.end());
    for (const std::string_view column : columns) {
      assumes_.push_back({scopes_.tables[table], std::string(column)});
    }
  }
}

// Of each name: how often it occurs, and how many of these are understood.
void Naming::count_names(std::vector<std::uint32_t>& open) {
  for (std::uint32_t i = 0; i < tree_.tokens.size(); ++i) {
    if (is_name(tree_.tokens[i].kind) && tree_.keyword[i] == 0) ++open[ascii_name(tree_, i)];
  }
  std::vector<std::uint8_t> understood(tree_.tokens.size());
  const auto understand = [&](std::uint32_t token) {
    if (token == kNone || understood[token] != 0) return;
    understood[token] = 1;
    --open[ascii_name(tree_, token)];  // of what is no name to the parser: below 0, never again 0
  };
  for (const Definition& definition : scopes_.definitions) understand(definition.token);
  for (const Source& source : scopes_.sources) understand(source.path_token);
  for (const CteReference& cte : scopes_.ctes) understand(cte.token);
  for (const StarReference& star : scopes_.stars) {
    if (star.source != kNone && !is_refuted(star.for_source)) understand(star.token);
  }
  for (const Reference& reference : scopes_.references) {
    const Node& node = tree_[reference.node];
    const bool is_qualified = node.end > node.begin + 1;
    if (reference.source != kNone && !is_refuted(reference.for_source)) understand(node.begin);
    if (reference.definition != kNone && !is_refuted(reference.for_definition)) {
      understand(is_qualified ? node.begin + 2 : node.begin);
    }
  }
  renamed_.reserve(scopes_.definitions.size());
  replaced_.reserve(scopes_.sources.size());
  const auto is_understood = [&](NameId name) { return !scopes_.reads_names && open[name] == 0; };
  for (const Definition& definition : scopes_.definitions) {
    const bool shows = definition.is_visible;
    renamed_.push_back(definition.name != kNoName && !shows && is_understood(definition.name));
  }
  for (const Source& source : scopes_.sources) {
    const bool is_named =
        source.name != kNoName && (source.definition == kNone || renamed_[source.definition] != 0);
    replaced_.push_back(is_named && is_understood(source.name));
  }
}

bool Naming::is_refuted(const Gap& gap) const {
  return is_owned_[gap.column] && std::binary_search(owned_.begin(), owned_.end(), gap);
}

bool Naming::is_refuted(GapRange gaps) const {
  return std::any_of(scopes_.gaps.begin() + gaps.begin, scopes_.gaps.begin() + gaps.end,
                     [&](const Gap& gap) { return is_refuted(gap); });
}

bool Naming::is_renamed(std::uint32_t definition) const {
  return definition != kNone && renamed_[definition] != 0;
}

void Naming::assume(GapRange gaps) {
  assumed_.insert(assumed_.end(), scopes_.gaps.begin() + gaps.begin,
                  scopes_.gaps.begin() + gaps.end);
}

// When it may, what that takes for granted is noted.
bool Naming::may_lose_qualifier(const Reference& reference) {
  if (!reference.is_bare || scopes_.reads_names || is_refuted(reference.for_source)) return false;
  const NameId name = ascii_name(tree_, tree_[reference.node].begin + 2);
  const std::vector<std::uint32_t>& own = scopes_.sources[reference.source].shape.open;
  const std::size_t before = assumed_.size();
  const auto refuse = [&] {
    assumed_.resize(before);
    return false;
  };
  for (std::uint32_t i = reference.rivals_begin; i < reference.rivals_end; ++i) {
    const std::uint32_t rival = scopes_.rivals[i];
    const RowShape& shape = scopes_.sources[rival].shape;
    if (may_make(tree_, shape, name) ||
        std::binary_search(read_of_.begin(), read_of_.end(), Gap{rival, name})) {
      return refuse();
    }
    // Of the same table: both have the column or none.
    if (std::find_first_of(own.begin(), own.end(), shape.open.begin(), shape.open.end()) !=
        own.end()) {
      return refuse();
    }
    for (const Column& column : shape.columns) {
      if (column.name == name) return refuse();
    }
    // The name alone could be the whole row of a source that has it.
    for (const std::uint32_t table : shape.open) {
      if (is_refuted(Gap{table, name})) return refuse();
      assumed_.push_back({table, name});
    }
  }
  return true;
}

void Naming::settle_reference(const Reference& reference) {
  const Node& node = tree_[reference.node];
  const bool is_qualified = node.end > node.begin + 1;
  const std::uint32_t column = is_qualified ? node.begin + 2 : node.begin;
  using Kind = NameUse::Kind;
  if (reference.definition != kNone && is_renamed(reference.definition)) {
    uses_[column] = {Kind::column, reference.definition};
    assume(reference.for_definition);
  } else if (!is_qualified || reference.source != kNone) {
    const bool is_last = column + 1 == node.end;
    uses_[column].kind = reference.keeps_case && is_last ? Kind::keeps_case : Kind::folded;
  }
  if (!is_qualified) return;
  const std::size_t before = assumed_.size();
  if (reference.source != kNone && may_lose_qualifier(reference)) {
    uses_[node.begin].kind = Kind::dropped;
    uses_[node.begin].is_assumed = assumed_.size() > before;
    assume(reference.for_source);
  } else if (reference.source != kNone && replaced_[reference.source] != 0) {
    uses_[node.begin] = {Kind::source, reference.source};
    assume(reference.for_source);
  } else {
    uses_[node.begin].kind = Kind::folded;
  }
}

void Naming::settle() {
  using Kind = NameUse::Kind;
  for (std::uint32_t i = 0; i < scopes_.definitions.size(); ++i) {
    const Definition& definition = scopes_.definitions[i];
    NameUse& use = uses_[definition.token];
    if (!is_renamed(i)) {
      const bool keeps = definition.kind == Definition::Kind::column || definition.is_visible;
      use.kind = keeps ? Kind::keeps_case : Kind::folded;
    } else if (definition.kind == Definition::Kind::source) {
      use.kind = Kind::dropped;
    } else {
      use = {definition.kind == Definition::Kind::cte ? Kind::cte : Kind::column, i};
    }
  }
  for (const CteReference& cte : scopes_.ctes) {
    NameUse& use = uses_[cte.token];
    use.kind = Kind::folded;
    if (is_renamed(cte.definition)) use = {Kind::cte, cte.definition};
  }
  for (std::uint32_t i = 0; i < scopes_.sources.size(); ++i) {
    const std::uint32_t token = scopes_.sources[i].path_token;
    if (token == kNone || uses_[token].kind == Kind::cte) continue;
    // Behind an alias nobody can refer to the relation by its own name.
    const bool is_referred_to = scopes_.sources[i].definition == kNone && replaced_[i] == 0;
    uses_[token].kind = is_referred_to ? Kind::folded : Kind::dropped;
  }
  for (const StarReference& star : scopes_.stars) {
    NameUse& use = uses_[star.token];
    use.kind = Kind::folded;
    if (star.source == kNone || replaced_[star.source] == 0) continue;
    use = {Kind::source, star.source};
    assume(star.for_source);
  }
  for (const Reference& reference : scopes_.references) settle_reference(reference);
}

}  // namespace hodor
