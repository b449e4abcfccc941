// One walk over a tree that finds out what its names mean. Lives for one call.
//
// In:  a tree. Out: Scopes.
// Never: resolves what it has not seen whole: sources are found before what may refer to them.
#pragma once
#include <deque>
#include <map>
#include <optional>

#include "hodor/scopes/scopes.hpp"

namespace hodor {

// CTEs in scope, innermost first; the last definition of a name wins.
struct CteName {
  const CteName* outer = nullptr;
  std::uint32_t definition = kNone;
  RowShape shape;
  bool in_own_query = false;
  TokenRange self;  // where its name means itself while its own query is walked
};

// One SELECT: its sources, and the names that its items give.
struct Level {
  const Level* outer = nullptr;
  std::vector<std::uint32_t> sources;
  std::vector<Column> aliases;
  std::vector<NameId> own_names;    // aliases of items that are the column of that name
  std::vector<NameId> plain_items;  // columns that are items without an alias
  // Items give names that are not listed: stars, expressions without an alias.
  bool has_other_names = false;
  bool has_implicit_names = false;  // ... which on Spark later items see like aliases
  std::vector<NameId> merged;       // columns of USING
  bool is_natural = false;
  bool sorts_by_name = false;  // ORDER BY or DISTINCT ON with a bare name
  bool is_blind = false;  // where it is not followed which of its and the outer names come first
};

// Whether DuckDB takes a bare word of this class for the name of a column or table.
inline bool may_be_name(WordClass word) {
  return word != WordClass::type_function && word != WordClass::reserved;
}

// What else the name of a column is, beside a reference.
enum class NameOf : std::uint8_t { nothing, item, field };

enum class Clause : std::uint8_t { before_aliases, items, having, order_item, order_part };

class Resolver {
 public:
  Resolver(const Tree& tree, const KnownColumns& known);
  Scopes run();

 private:
  struct Place {
    const CteName* ctes = nullptr;
    const Level* level = nullptr;
    Clause clause = Clause::before_aliases;
  };

  // queries.cpp
  RowShape query(NodeId id, const Place& place);
  RowShape body(NodeId id, const Place& place, const Level** level);
  RowShape select(NodeId id, const Place& place, const Level** level);
  RowShape items(NodeId list, const Place& place, Level& level);
  void note_name(NodeId item, Level& level) const;
  void note_unnamed(NodeId expr, Level& level) const;
  bool has_bare_name(NodeId list) const;
  const Level* blind(const Level* outer);
  void item(NodeId id, const Place& place, std::uint32_t alias, RowShape& shape);
  bool star(NodeId item, const Place& place, RowShape& shape);
  void star_of(const std::vector<NameId>& qualifier, std::uint32_t token, const Place& place,
               RowShape& shape);
  RowShape set_operations(NodeId id, const Place& place);
  RowShape rows(NodeId values) const;
  void order_by(NodeId id, const Place& place, const RowShape& shape);
  const CteName* with(NodeId id, const Place& place);
  void rename(NodeId column_names, RowShape& shape);

  // from.cpp
  void from_item(NodeId id, const Place& place, Level& level);
  void factor(NodeId id, bool sees_siblings, const Place& place, Level& level);
  void relation(NodeId id, const Place& place, Level& level);
  void derived(NodeId id, bool sees_siblings, const Place& place, Level& level);
  void join(NodeId id, const Place& place, Level& level);
  void unknown_source(NodeId owner, Level& level);
  void add_source(NodeId owner, NameId own_name, std::uint32_t path_token, RowShape shape,
                  Level& level, bool is_table = false);
  RowShape columns_of(NodeId path);

  // expressions.cpp
  void walk(NodeId id, const Place& place);
  void walk_children(NodeId id, const Place& place);
  void order_items(NodeId id, const Place& place);
  void call(NodeId id, const Place& place);
  void argument(NodeId id, NameId function, const Place& place);
  void fields(NodeId id, const Place& place);
  bool may_be_lambda(NodeId argument) const;

  // references.cpp
  void column(NodeId id, const Place& place, NameOf name_of);
  void qualified(Reference& reference, NameId qualifier, NameId name, const Place& place);
  void unqualified(Reference& reference, NameId name, const Place& place);
  bool by_alias(Reference& reference, NameId name, const Place& place);
  bool by_source(Reference& reference, NameId name, const Place& place);
  std::uint32_t find_source(NameId qualifier, const Place& place, GapRange& gaps,
                            std::vector<std::uint32_t>* passed);
  bool is_source(NameId name, const Level* level) const;
  std::size_t count_sources(NameId name, const Level* level) const;
  bool may_name_table(NodeId column, const Level* level) const;
  bool keeps_case_to_sort(NodeId column, const Place& place, NameOf name_of) const;
  void whole_row(NameId name, const Place& place);
  bool lacks(const RowShape& shape, NameId name);
  void add_gaps(const RowShape& shape, NameId name);
  GapRange gaps_since(std::uint32_t begin) const;
  std::uint32_t gap_count() const { return static_cast<std::uint32_t>(scopes_.gaps.size()); }
  bool is_volatile(NameId name) const { return tree_.names.word(name).volatile_word != nullptr; }
  void leave_names();
  void note_base_of(NameId name);
  bool spend(std::size_t steps);
  void append(RowShape& shape, const RowShape& more);
  void show(const RowShape& shape);
  void show_all(const Level* level);
  std::uint32_t define(Definition::Kind kind, NodeId name);
  bool duckdb() const { return tree_.dialect == Dialect::duckdb; }

  const Tree& tree_;
  const KnownColumns& known_;
  Scopes scopes_;
  std::deque<Level> levels_;  // stay where they are
  std::deque<CteName> ctes_;
  std::size_t steps_ = 0;
  bool sorts_by_name_ = false;  // the SELECT that is walked next
  std::map<std::string, std::uint32_t, std::less<>> table_numbers_;
  std::vector<std::uint32_t> passed_;  // sources, for one reference at a time
  // Names of the text that are in a list.
  std::vector<NameId> virtual_columns_;
  std::vector<NameId> values_;
  std::vector<NameId> name_readers_;
  std::vector<NameId> struct_makers_;
  std::vector<NameId> many_columns_;
  std::vector<NameId> numbered_;  // that the text also has with a number
  NameId exists_;
  NameId count_;
};

}  // namespace hodor
