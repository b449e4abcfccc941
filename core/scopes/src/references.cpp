// What one column name means.
#include <algorithm>

#include "hodor/base/limits.hpp"
#include "hodor/syntax/words.hpp"
#include "resolver.hpp"

namespace hodor {
namespace {

std::size_t count(const std::vector<Column>& columns, NameId name) {
  return static_cast<std::size_t>(std::count_if(
      columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; }));
}

std::size_t count(const std::vector<NameId>& names, NameId name) {
  return static_cast<std::size_t>(std::count(names.begin(), names.end(), name));
}

bool has(const std::vector<NameId>& names, NameId name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::string_view kVirtualColumns[] = {"rowid", "filename", "file_row_number",
                                                "file_index"};
// Spark: of files, of sets of groups.
constexpr std::string_view kHiddenColumns[] = {"_metadata", "grouping__id"};
constexpr std::string_view kValues[] = {"null", "true", "false"};
constexpr std::string_view kNameReaders[] = {"identifier", "query", "query_table",
                                             "columns",    "alias", "json_execute_serialized_sql"};
constexpr std::string_view kStructMakers[] = {"struct", "named_struct", "struct_pack",
                                              "row",    "arrays_zip",   "struct_insert"};
constexpr std::string_view kManyColumns[] = {
    "unnest",        "inline", "inline_outer",  "unpack",           "columns",
    "json_tuple",    "stack",  "posexplode",    "posexplode_outer", "explode",
    "explode_outer", "window", "session_window"};

}  // namespace

Resolver::Resolver(const Tree& tree, const KnownColumns& known)
    : tree_(tree),
      known_(known),
      virtual_columns_(tree.dialect == Dialect::duckdb ? tree.names.find_all(kVirtualColumns)
                                                       : tree.names.find_all(kHiddenColumns)),
      values_(tree.names.find_all(kValues)),
      name_readers_(tree.names.find_all(kNameReaders)),
      struct_makers_(tree.names.find_all(kStructMakers)),
      many_columns_(tree.names.find_all(kManyColumns)),
      exists_(tree.names.find("exists")),
      count_(tree.names.find("count")) {
  // Subqueries without an alias have names, too.
  for (NameId name = kNoName + 1; name < tree.names.size(); ++name) {
    const std::string_view text = tree.names.text(name);
    if (text.starts_with("unnamed_") || text.starts_with("__auto_generated_")) leave_names();
    note_base_of(name);
  }
  scopes_.references.reserve(tree.tokens.size() / 4);
  scopes_.gaps.reserve(tree.tokens.size() / 4);
}

Scopes resolve_names(const Tree& tree, const KnownColumns& known) {
  return Resolver(tree, known).run();
}

// The `a` of `a_1`: by another name of its own it would give another name to the second `a`.
void Resolver::note_base_of(NameId name) {
  while (name != kNoName && is_numbered(tree_, name)) {
    const std::string_view text = tree_.names.text(name);
    name = tree_.names.find(text.substr(0, text.rfind('_')));
    if (name != kNoName) numbered_.push_back(name);
  }
}

// Whether there are steps left. Without, nothing is renamed: what was found out before may be less
// than what would stop it.
bool Resolver::spend(std::size_t steps) {
  steps_ += steps;
  return steps_ <= limits::kScopeSteps;
}

void Resolver::add_gaps(const RowShape& shape, NameId name) {
  for (const std::uint32_t table : shape.open) scopes_.gaps.push_back({table, name});
}

GapRange Resolver::gaps_since(std::uint32_t begin) const { return {begin, gap_count()}; }

bool may_make(const Tree& tree, const RowShape& shape, NameId name) {
  return shape.is_unknown || (shape.is_numbered && is_numbered(tree, name)) ||
         (count(shape.columns, kNoName) > 0 && may_be_made_of_text(tree, name));
}

// Whether a source has no column of this name: proven for what is known of it, else a gap.
bool Resolver::lacks(const RowShape& shape, NameId name) {
  if (may_make(tree_, shape, name) || count(shape.columns, name) > 0) return false;
  add_gaps(shape, name);
  return true;
}

// An item: a whole SELECT item without an alias. A field: an argument that gives a struct's field
// its name.
void Resolver::column(NodeId id, const Place& place, NameOf name_of) {
  Reference reference;
  reference.node = id;
  const std::uint32_t begin = tree_[id].begin;
  const std::uint32_t end = tree_[id].end;
  const std::size_t parts = (end - begin + 1) / 2;
  bool is_ascii = true;
  for (std::uint32_t i = begin; i < end; i += 2) is_ascii &= ascii_name(tree_, i) != kNoName;
  const NameId first = ascii_name(tree_, begin);
  // `user` is a function without parentheses, `"user"` a column.
  const bool is_function =
      parts == 1 && tree_.tokens[begin].kind == TokenKind::identifier && is_volatile(first);
  bool is_virtual = has(virtual_columns_, ascii_name(tree_, end - 1));
  for (std::uint32_t i = begin; i < end && !duckdb(); i += 2) {
    is_virtual |= has(virtual_columns_, ascii_name(tree_, i));
  }
  if (is_function || is_virtual) {  // DuckDB 1.5 shows a virtual column as it is written
    reference.keeps_case = true;
  } else if (duckdb() && !may_be_name(tree_.tokens[begin].word_class)) {
    // An error of the engine, where another spelling is none.
  } else if (parts > 1 && tree_.tokens[begin].kind == TokenKind::identifier &&
             (is_volatile(first) || has(values_, first))) {
    // Spark `null.a`, `user.a`: a field of that value.
  } else if (is_ascii && parts == 1) {
    unqualified(reference, first, place);
  } else if (is_ascii && !may_name_table(id, place.level)) {
    qualified(reference, first, ascii_name(tree_, begin + 2), place);
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
    // `b as a, t.a ... order by a`: of two items of one name that of the same case is meant.
    const NameId shown = ascii_name(tree_, end - 1);
    const bool may_be_item =
        parts <= 2 && place.level != nullptr && count(place.level->aliases, shown) > 0;
    reference.keeps_case = !duckdb() || may_be_item || (parts == 1 && is_volatile(first)) ||
                           is_virtual || (parts != 1 && parts != 2) ||
                           (parts == 2 && reference.source == kNone) ||
                           (parts == 1 && is_source(first, place.level));
  }
  reference.keeps_case |= reference.definition == kNone && keeps_case_to_sort(id, place, name_of);
  scopes_.references.push_back(reference);
}

std::uint32_t Resolver::find_source(NameId name, const Place& place, GapRange& gaps,
                                    std::vector<std::uint32_t>* passed) {
  if (name == kNoName) return kNone;
  const std::uint32_t first_gap = gap_count();
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    std::uint32_t found = kNone;
    if (level->is_blind) return kNone;
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
      if (!lacks(source.shape, name)) return kNone;
    }
    if (passed != nullptr) {
      for (const std::uint32_t number : level->sources) {
        if (number != found && !scopes_.sources[number].is_hidden) passed->push_back(number);
      }
    }
    if (found == kNone && level->has_implicit_names) return kNone;
    if (found == kNone) continue;
    for (const Level* outer = level->outer; outer != nullptr && passed != nullptr;
         outer = outer->outer) {
      if (!spend(outer->sources.size())) return kNone;
      passed->insert(passed->end(), outer->sources.begin(), outer->sources.end());
    }
    gaps = gaps_since(first_gap);
    return found;
  }
  return kNone;
}

void Resolver::qualified(Reference& reference, NameId qualifier, NameId name, const Place& place) {
  passed_.clear();
  const std::uint32_t found = find_source(qualifier, place, reference.for_source, &passed_);
  if (found == kNone) return;
  const RowShape& shape = scopes_.sources[found].shape;
  const std::size_t owned = count(shape.columns, name);
  // A column that this source lacks may be one of a source of that name further out.
  if (owned != 1 && count_sources(qualifier, place.level) > 1) return;
  reference.source = found;
  if (owned == 1 && !may_make(tree_, shape, name)) {
    const auto column = std::find_if(shape.columns.begin(), shape.columns.end(),
                                     [&](const Column& each) { return each.name == name; });
    reference.definition = column->definition;
    const std::uint32_t first_gap = gap_count();
    add_gaps(shape, name);
    reference.for_definition = gaps_since(first_gap);
  }
  // Unqualified it could also be a merged column, what an item names, or a whole row.
  if (is_source(name, place.level)) return;
  const bool sees_items_first = place.clause == Clause::having ||
                                place.clause == Clause::order_item ||
                                place.clause == Clause::order_part;
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    if (has(level->merged, name) || level->is_natural) return;
    const std::size_t aliases = count(level->aliases, name);
    if (sees_items_first && (level->has_other_names || aliases > 0)) return;
    // `o.id as id`: the item is that column itself.
    if (aliases > 0 && aliases > count(level->own_names, name)) return;
  }
  // A closed source without the column: a variable, or an error.
  const bool may_own = !shape.is_unknown && (!shape.open.empty() || owned == 1);
  const bool is_name = !duckdb() || may_be_name(tree_.names.word(name).word_class);
  reference.is_bare = may_own && !is_volatile(name) && is_name;
  reference.rivals_begin = static_cast<std::uint32_t>(scopes_.rivals.size());
  scopes_.rivals.insert(scopes_.rivals.end(), passed_.begin(), passed_.end());
  reference.rivals_end = static_cast<std::uint32_t>(scopes_.rivals.size());
}

void Resolver::unqualified(Reference& reference, NameId name, const Place& place) {
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

// DuckDB 1.5 takes a bare name of ORDER BY or DISTINCT ON for an item without an alias only when it
// is written like that item; else it is a column, which several sources may have.
bool Resolver::keeps_case_to_sort(NodeId column, const Place& place, NameOf name_of) const {
  if (!duckdb()) return false;
  const bool is_bare = tree_[column].end == tree_[column].begin + 1;
  std::size_t sources = 0;
  bool is_sorted = is_bare ? place.clause == Clause::order_item : name_of == NameOf::item;
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    sources += level->sources.size();
    if (level == place.level && !is_bare) is_sorted &= level->sorts_by_name;
    is_sorted |= level == place.level && is_bare && level->is_blind;
  }
  return is_sorted && sources > 1;
}

// `s.t.c`: a field of column t of source s, or a column of table t in schema s.
bool Resolver::may_name_table(NodeId column, const Level* level) const {
  for (std::uint32_t i = tree_[column].begin + 2; i + 1 < tree_[column].end; i += 2) {
    if (is_source(ascii_name(tree_, i), level)) return true;
  }
  return false;
}

// Whether a FROM source of this or an outer query has this name.
bool Resolver::is_source(NameId name, const Level* level) const {
  for (; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) {
      if (scopes_.sources[source].name == name) return true;
    }
  }
  return false;
}

std::size_t Resolver::count_sources(NameId name, const Level* level) const {
  std::size_t found = 0;
  for (; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) found += scopes_.sources[source].name == name;
  }
  return found;
}

// `select t from t`: the row with the names of its columns.
void Resolver::whole_row(NameId name, const Place& place) {
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    for (const std::uint32_t source : level->sources) {
      if (scopes_.sources[source].name == name) show(scopes_.sources[source].shape);
    }
  }
}

// The item of this name, where no source of this or an outer query can be meant.
bool Resolver::by_alias(Reference& reference, NameId name, const Place& place) {
  const std::vector<Column>& aliases = place.level->aliases;
  if (count(aliases, name) != 1 || has(place.level->plain_items, name)) return false;
  const std::uint32_t first_gap = gap_count();
  const bool alias_first =
      place.clause == Clause::order_item || (place.clause == Clause::order_part && !duckdb());
  if (is_source(name, place.level)) return false;  // its whole row
  for (const Level* level = place.level; level != nullptr && !alias_first; level = level->outer) {
    if (level->is_blind) return false;
    if (!spend(level->aliases.size() + 4 * level->sources.size())) return false;
    for (const std::uint32_t source : level->sources) {
      if (!lacks(scopes_.sources[source].shape, name)) return false;
    }
    if (level != place.level && count(level->aliases, name) > 0) return false;
  }
  for (const Column& alias : aliases) {
    if (alias.name == name) reference.definition = alias.definition;
  }
  reference.for_definition = gaps_since(first_gap);
  return true;
}

// The column of one source, where no other can be meant. True also when it is known to be of a
// source but has its name from a table, or when several could be meant: then no alias is.
bool Resolver::by_source(Reference& reference, NameId name, const Place& place) {
  const std::uint32_t first_gap = gap_count();
  for (const Level* level = place.level; level != nullptr; level = level->outer) {
    if (level->is_blind) return false;
    const Column* found = nullptr;
    std::size_t owners = 0;
    if (!spend(level->aliases.size() + 4 * level->sources.size())) return false;
    bool is_certain = !level->is_natural;
    const std::uint32_t first_of_level = gap_count();
    for (const std::uint32_t number : level->sources) {
      const Source& source = scopes_.sources[number];
      if (source.is_hidden) continue;
      if (!spend(source.shape.columns.size())) return false;
      for (const Column& column : source.shape.columns) {
        if (column.name != name) continue;
        found = &column;
        ++owners;
      }
      is_certain = is_certain && !may_make(tree_, source.shape, name);
      add_gaps(source.shape, name);
    }
    is_certain = is_certain && !has(level->merged, name);
    if (owners > 0) {
      if (owners > 1 || !is_certain) return true;
      reference.definition = found->definition;
      reference.for_definition = gaps_since(first_gap);
      return true;
    }
    // The alias of an inner query comes before an outer query's columns, or not: not certain.
    if (!is_certain || count(level->aliases, name) > 0 || level->has_implicit_names ||
        gap_count() > first_of_level) {
      return false;
    }
  }
  return false;
}

}  // namespace hodor
