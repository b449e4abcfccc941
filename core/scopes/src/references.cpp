// What one column name means.
#include <algorithm>

#include "hodor/base/limits.hpp"
#include "hodor/syntax/words.hpp"
#include "resolver.hpp"

namespace hodor {
namespace {

std::size_t count(const std::vector<Column>& columns, const std::string& name) {
  return static_cast<std::size_t>(std::count_if(
      columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; }));
}

}  // namespace

Scopes resolve_names(const Tree& tree, const KnownColumns& known) {
  return Resolver(tree, known).run();
}

// Whether there are steps left. Without, nothing is renamed: what was found out before may be less
// than what would stop it.
bool Resolver::spend(std::size_t steps) const {
  steps_ += steps;
  return steps_ <= limits::kScopeSteps;
}

// Whether a source has no column of this name: proven for what is known of it, else an absence.
bool Resolver::lacks(const RowShape& shape, const std::string& name,
                     std::vector<Absence>& absences) const {
  if (shape.is_unknown || count(shape.columns, name) > 0) return false;
  for (const std::string& relation : shape.open) absences.push_back({relation, name});
  return true;
}

// An item: a whole SELECT item without an alias. A field: an argument that gives a struct's field
// its name.
void Resolver::column(NodeId id, const Place& place, NameOf name_of) {
  Reference reference;
  reference.node = id;
  std::vector<std::string> parts;
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; i += 2) {
    parts.push_back(folded_name(tree_, i));
  }
  const bool is_ascii = std::none_of(parts.begin(), parts.end(),
                                     [](const std::string& part) { return part.empty(); });
  // `user` is a function without parentheses, `"user"` a column.
  const bool is_function = parts.size() == 1 &&
                           tree_.tokens[tree_[id].begin].kind == TokenKind::identifier &&
                           find_volatile(tree_.dialect, parts[0]) != nullptr;
  static constexpr std::string_view kVirtual[] = {"rowid", "filename", "file_row_number",
                                                  "file_index"};
  const bool is_virtual = duckdb() && std::find(std::begin(kVirtual), std::end(kVirtual),
                                                parts.back()) != std::end(kVirtual);
  if (is_function || is_virtual) {  // DuckDB 1.5 shows a virtual column as it is written
    reference.keeps_case = true;
  } else if (is_ascii && parts.size() == 1) {
    unqualified(reference, parts[0], place);
  } else if (is_ascii) {
    qualified(reference, parts, place);
  }
  if (name_of == NameOf::field) {
    reference.keeps_case = !duckdb();
    if (reference.definition != kNone) {
      scopes_.definitions[reference.definition].is_visible = true;
    }
  }
  if (name_of == NameOf::item) {
    // Spark names the column as it is written. DuckDB, too, where it is a field, a whole row or
    // another item of this SELECT, else it takes the name from the column's table.
    const bool may_be_item =
        parts.size() == 1 && place.level != nullptr && count(place.level->aliases, parts[0]) > 0;
    const bool is_value = parts.size() == 1 && find_volatile(tree_.dialect, parts[0]) != nullptr;
    reference.keeps_case = !duckdb() || may_be_item || is_value || is_virtual ||
                           (parts.size() != 1 && parts.size() != 2) ||
                           (parts.size() == 2 && reference.source == kNone);
    for (const Level* level = place.level; level != nullptr; level = level->outer) {
      for (const std::uint32_t source : level->sources) {
        reference.keeps_case |= parts.size() == 1 && scopes_.sources[source].name == parts[0];
      }
    }
  }
  scopes_.references.push_back(std::move(reference));
}

std::uint32_t Resolver::find_source(const std::vector<std::string>& qualifier, const Place& place,
                                    std::vector<Absence>& absences,
                                    std::vector<std::uint32_t>* passed) const {
  if (qualifier.size() != 1 || qualifier[0].empty()) return kNone;
  const std::string& name = qualifier[0];
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    std::uint32_t found = kNone;
    if (!spend(level->aliases.size() + 4 * level->sources.size())) return kNone;
    if (count(level->aliases, name) > 0) return kNone;
    for (const std::uint32_t number : level->sources) {
      const Source& source = scopes_.sources[number];
      if (source.is_hidden) continue;
      if (source.name == name) {
        if (found != kNone) return kNone;
        found = number;
      }
      // A struct column of this name would be meant as well.
      if (!lacks(source.shape, name, absences)) return kNone;
    }
    if (passed != nullptr) {
      for (const std::uint32_t number : level->sources) {
        if (number != found && !scopes_.sources[number].is_hidden) passed->push_back(number);
      }
    }
    if (found == kNone) continue;
    for (const Level* outer = level->outer; outer != nullptr && passed != nullptr;
         outer = outer->outer) {
      if (!spend(outer->sources.size())) return kNone;
      passed->insert(passed->end(), outer->sources.begin(), outer->sources.end());
    }
    return found;
  }
  return kNone;
}

void Resolver::qualified(Reference& reference, const std::vector<std::string>& parts,
                         const Place& place) {
  std::vector<Absence> absences;
  std::vector<std::uint32_t> rivals;
  const std::uint32_t found = find_source({parts[0]}, place, absences, &rivals);
  if (found == kNone) return;
  reference.source = found;
  reference.for_source = std::move(absences);
  const RowShape& shape = scopes_.sources[found].shape;
  const std::string& name = parts[1];
  for (const Column& column : shape.columns) {
    if (column.name != name) continue;
    std::vector<Absence> others;
    for (const std::string& relation : shape.open) others.push_back({relation, name});
    if (shape.is_unknown || count(shape.columns, name) != 1) break;
    reference.definition = column.definition;
    reference.for_definition = std::move(others);
  }
  // Unqualified it could also be a merged column, what an item names, or a whole row.
  if (is_source(name, place.level)) return;
  const bool sees_items_first = place.clause == Clause::having ||
                                place.clause == Clause::order_item ||
                                place.clause == Clause::order_part;
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    const bool is_merged =
        std::find(level->merged.begin(), level->merged.end(), name) != level->merged.end();
    if (is_merged || level->is_natural) return;
    if (sees_items_first && (level->has_other_names || count(level->aliases, name) > 0)) return;
    // `o.id as id`: the item is that column itself.
    if (count(level->aliases, name) > level->own_names.count(name)) return;
  }
  // A closed source without the column: a variable, or an error.
  const bool may_own =
      !shape.is_unknown && (!shape.open.empty() || count(shape.columns, name) == 1);
  reference.is_bare = may_own && find_volatile(tree_.dialect, name) == nullptr;
  reference.rivals = std::move(rivals);
}

void Resolver::unqualified(Reference& reference, const std::string& name, const Place& place) {
  whole_row(name, place);
  if (place.level == nullptr) return;
  const bool is_item = count(place.level->aliases, name) > 0;
  const bool sees_items = place.clause == Clause::having || place.clause == Clause::order_item ||
                          place.clause == Clause::order_part;
  if (sees_items && place.level->has_other_names) return;
  if (place.clause == Clause::having && is_item) {  // a grouped column comes before it
    by_alias(reference, name, place);
    return;
  }
  const bool alias_first =
      place.clause == Clause::order_item || (place.clause == Clause::order_part && !duckdb());
  if (alias_first && is_item) {
    by_alias(reference, name, place);
    return;
  }
  if (by_source(reference, name, place)) return;
  if (place.clause == Clause::before_aliases) return;
  by_alias(reference, name, place);
}

// Whether a FROM source of this or an outer query has this name.
bool Resolver::is_source(const std::string& name, const Level* level) const {
  for (; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) {
      if (scopes_.sources[source].name == name) return true;
    }
  }
  return false;
}

// `select t from t`: the row with the names of its columns.
void Resolver::whole_row(const std::string& name, const Place& place) {
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) {
      if (scopes_.sources[source].name == name) show(scopes_.sources[source].shape);
    }
  }
}

// The item of this name, where no source of this or an outer query can be meant.
bool Resolver::by_alias(Reference& reference, const std::string& name, const Place& place) const {
  const std::vector<Column>& aliases = place.level->aliases;
  if (count(aliases, name) != 1) return false;
  std::vector<Absence> absences;
  const bool alias_first =
      place.clause == Clause::order_item || (place.clause == Clause::order_part && !duckdb());
  if (is_source(name, place.level)) return false;  // its whole row
  for (const Level* level = place.level; level != nullptr && !alias_first; level = level->outer) {
    if (!spend(level->aliases.size() + 4 * level->sources.size())) return false;
    for (const std::uint32_t source : level->sources) {
      if (!lacks(scopes_.sources[source].shape, name, absences)) return false;
    }
    if (level != place.level && count(level->aliases, name) > 0) return false;
  }
  for (const Column& alias : aliases) {
    if (alias.name == name) reference.definition = alias.definition;
  }
  reference.for_definition = std::move(absences);
  return true;
}

// The column of one source, where no other can be meant. True also when it is known to be of a
// source but has its name from a table, or when several could be meant: then no alias is.
bool Resolver::by_source(Reference& reference, const std::string& name, const Place& place) const {
  std::vector<Absence> absences;
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    const Column* found = nullptr;
    std::size_t owners = 0;
    if (!spend(level->aliases.size() + 4 * level->sources.size())) return false;
    bool is_certain = !level->is_natural;
    std::vector<Absence> of_level;
    for (const std::uint32_t number : level->sources) {
      const Source& source = scopes_.sources[number];
      if (source.is_hidden) continue;
      if (!spend(source.shape.columns.size())) return false;
      for (const Column& column : source.shape.columns) {
        if (column.name != name) continue;
        found = &column;
        ++owners;
      }
      is_certain = is_certain && !source.shape.is_unknown;
      for (const std::string& relation : source.shape.open) of_level.push_back({relation, name});
    }
    is_certain = is_certain &&
                 std::find(level->merged.begin(), level->merged.end(), name) == level->merged.end();
    if (owners > 0) {
      if (owners > 1 || !is_certain) return true;
      absences.insert(absences.end(), of_level.begin(), of_level.end());
      reference.definition = found->definition;
      reference.for_definition = std::move(absences);
      return true;
    }
    // The alias of an inner query comes before an outer query's columns, or not: not certain.
    if (!is_certain || count(level->aliases, name) > 0 || !of_level.empty()) return false;
    absences.insert(absences.end(), of_level.begin(), of_level.end());
  }
  return false;
}

}  // namespace hodor
