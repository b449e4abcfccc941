// FROM: relations by scope, files, paths, table functions, and the names that a query sees.
#include <algorithm>
#include <array>

#include "extractor.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

// Table functions of DuckDB that read the files named by their first argument.
constexpr std::array<std::string_view, 16> kFileFunctions = {"glob",
                                                             "parquet_file_metadata",
                                                             "parquet_kv_metadata",
                                                             "parquet_metadata",
                                                             "parquet_scan",
                                                             "parquet_schema",
                                                             "read_blob",
                                                             "read_csv",
                                                             "read_csv_auto",
                                                             "read_json",
                                                             "read_json_auto",
                                                             "read_json_objects",
                                                             "read_json_objects_auto",
                                                             "read_ndjson",
                                                             "read_ndjson_auto",
                                                             "read_ndjson_objects"};
constexpr std::array<std::string_view, 3> kMoreFileFunctions = {"read_parquet", "read_text",
                                                                "sniff_csv"};

// Table functions of DuckDB's extensions that read the newest state of the table in a folder.
bool is_lake_function(std::string_view name) {
  return name == "delta_scan" || name == "iceberg_scan";
}

bool is_file_function(std::string_view name) {
  return std::find(kFileFunctions.begin(), kFileFunctions.end(), name) != kFileFunctions.end() ||
         std::find(kMoreFileFunctions.begin(), kMoreFileFunctions.end(), name) !=
             kMoreFileFunctions.end();
}

// Formats that Spark reads by path: delta.`/p`.
bool is_path_format(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kFormats = {
      "avro", "binaryfile", "csv", "delta", "json", "orc", "parquet", "text"};
  return std::find(kFormats.begin(), kFormats.end(), name) != kFormats.end();
}

}  // namespace

void Extractor::add_source(NodeId owner, NameId default_name, Shape shape, Sources& into) {
  Sources::Source source{default_name, std::move(shape)};
  const NodeId alias = tree_.child(owner, NodeKind::alias);
  if (alias != kNoNode) {
    const NodeId name = tree_.child(alias, NodeKind::name);
    const NameId given = name == kNoNode ? kNoName : tree_.tokens[tree_[name].begin].name;
    if (given != kNoName) source.name = given;
    const NodeId columns = tree_.child(alias, NodeKind::column_names);
    if (columns != kNoNode) {
      source.shape.named = false;
      for (const NodeId child : children(tree_, columns)) {
        if (tree_[child].kind == NodeKind::type) type(child);
      }
    }
  }
  into.list.push_back(std::move(source));
}

void Extractor::from_item(NodeId id, const Place& place, Sources& into) {
  order_marks(id);
  const std::size_t before = into.list.size();
  for (const NodeId child : children(tree_, id)) {
    switch (tree_[child].kind) {
      case NodeKind::relation:
        relation(child, place, into);
        break;
      case NodeKind::table_function:
        table_function(child, place, into);
        break;
      case NodeKind::file:
        file(child, into);
        break;
      case NodeKind::derived:
        derived(child, place, into);
        break;
      case NodeKind::inline_values:
        walk_children(tree_.child(child, NodeKind::values), place);
        add_source(child, kNoName, {}, into);
        break;
      case NodeKind::from_group: {
        const std::size_t first = into.list.size();
        for (const NodeId item : children(tree_, child)) {
          if (tree_[item].kind == NodeKind::from_item) from_item(item, place, into);
          if (tree_[item].kind == NodeKind::sample) walk(item, place);
        }
        bool open = false;
        for (std::size_t i = first; i < into.list.size(); ++i) open |= into.list[i].shape.open;
        if (tree_.child(child, NodeKind::alias) != kNoNode) {
          add_source(child, kNoName, {open, false, {}}, into);
        }
        break;
      }
      case NodeKind::join:
        join(child, place, into);
        break;
      case NodeKind::lateral_view:
        lateral_view(child, place, into);
        break;
      case NodeKind::pivot:
      case NodeKind::unpivot:
        pivot(child, {place.ctes, &into}, into);
        break;
      case NodeKind::alias:  // DuckDB `a: tbl` names the factor after it
        break;
      default:
        walk(child, {place.ctes, &into});
        break;
    }
  }
  const NodeId first = tree_[id].first_child;
  if (first == kNoNode || tree_[first].kind != NodeKind::alias || into.list.size() <= before)
    return;
  const NameId name = last_name_of(tree_, first);
  if (name != kNoName) into.list[before].name = name;
}

void Extractor::relation(NodeId id, const Place& place, Sources& into) {
  const NodeId path = tree_.child(id, NodeKind::path);
  if (path == kNoNode) return;
  note_run_values(path);
  RelationName name{names_in(tree_, path), tree_.child(id, NodeKind::time_travel) != kNoNode};
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::time_travel || tree_[child].kind == NodeKind::sample) {
      walk(child, place);
    }
  }
  if (name.parts.empty()) return;
  const NameId last = last_name_of(tree_, path);
  if (name.parts.size() == 1) {
    for (const CteScope* scope = place.ctes; scope != nullptr; scope = scope->outer) {
      if (scope->name != last) continue;
      const std::uint32_t at = tree_[path].begin;
      const bool means_itself = at >= scope->self.begin && at < scope->self.end;
      if (scope->in_own_query && !means_itself) continue;
      add_source(id, last, scope->shape, into);
      return;
    }
  }
  const Token& last_token = tree_.tokens[tree_[path].end - 1];
  const bool is_path = tree_.dialect != Dialect::duckdb && name.parts.size() == 2 &&
                       last_token.kind == TokenKind::quoted_identifier &&
                       is_path_format(lower_case(name.parts.front())) &&
                       name.parts.back().find_first_of("/:") != std::string::npos;
  if (!is_path) {
    if (names_own(name.parts, options_.own)) own_relations_.push_back(id);
    facts_.relations.push_back(std::move(name));
  } else if (lower_case(name.parts.front()) == "delta" && !name.pinned) {
    facts_.paths.push_back(name.parts.back());
  } else {
    facts_.opaque_inputs.push_back(std::string(tree_.text(path)));
  }
  add_source(id, last, {true, false, {}}, into);
}

void Extractor::table_function(NodeId id, const Place& place, Sources& into) {
  const NodeId function = tree_.child(id, NodeKind::call);
  table_function_ = function;
  walk(function, {place.ctes, &into});
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::sample) walk(child, place);
  }
  const NameId single = single_name_of(tree_, tree_[function].first_child);
  const NameId last = last_name_of(tree_, tree_[function].first_child);
  const std::string_view name = tree_.names.text(single);
  if (tree_.dialect == Dialect::duckdb && (is_file_function(name) || is_lake_function(name))) {
    file_function(function, name);
    add_source(id, single, {true, false, {}}, into);
    return;
  }
  if (name.empty() || !is_pure_table_function(tree_.dialect, name)) {
    facts_.opaque_inputs.push_back(std::string(tree_.text(function)));
    add_source(id, last, {true, false, {}}, into);
    return;
  }
  // One column per field when asked to go deeper, or always with inline.
  int arguments = 0;
  for (const NodeId child : children(tree_, function)) {
    if (tree_[child].kind == NodeKind::argument) ++arguments;
  }
  const bool fields = name.substr(0, 6) == "inline" || (name == "unnest" && arguments > 1);
  add_source(id, single, {fields, false, {}}, into);
}

// read_csv('a.csv', ...), read_csv(['a.csv', 'b.csv']): files when every name is a literal. Options
// of a lake function can name another version or another folder: it must have none.
void Extractor::file_function(NodeId call, std::string_view name) {
  std::vector<FileRead> files;
  bool certain = false;
  bool first = true;
  for (const NodeId argument : children(tree_, call)) {
    if (tree_[argument].kind != NodeKind::argument) continue;
    if (!first) {
      certain = certain && !is_lake_function(name);
      continue;
    }
    first = false;
    const NodeId expr = tree_.child(argument, NodeKind::expr);
    if (tree_.has(argument, flag::named) || expr == kNoNode) break;
    const NodeId operand = only_operand(tree_, expr);
    if (operand == kNoNode) break;
    const auto literal = [&](NodeId node) {
      std::string value;
      if (node == kNoNode || tree_[node].kind != NodeKind::literal ||
          tree_[node].end - tree_[node].begin != 1 ||
          !string_value(tree_, tree_[node].begin, value)) {
        return false;
      }
      files.push_back({std::move(value), std::string(name)});
      return true;
    };
    if (tree_[operand].kind == NodeKind::list) {
      certain = tree_[operand].first_child != kNoNode && !is_lake_function(name);
      for (const NodeId item : children(tree_, operand)) {
        certain = certain && literal(only_operand(tree_, item));
      }
    } else {
      certain = literal(operand);
    }
  }
  if (certain) {
    facts_.files.insert(facts_.files.end(), files.begin(), files.end());
  } else {
    facts_.opaque_inputs.push_back(std::string(tree_.text(call)));
  }
}

void Extractor::file(NodeId id, Sources& into) {
  const NodeId text = tree_.child(id, NodeKind::string);
  std::string value;
  note_run_values(text);
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::sample) walk(child, {});
  }
  if (tree_.dialect == Dialect::duckdb && string_value(tree_, tree_[text].begin, value)) {
    facts_.files.push_back({value, ""});
  } else {
    facts_.opaque_inputs.push_back(std::string(tree_.text(text)));
  }
  add_source(id, kNoName, {true, false, {}}, into);
}

void Extractor::derived(NodeId id, const Place& place, Sources& into) {
  Shape shape{true, false, {}};
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::subquery || tree_[child].kind == NodeKind::query) {
      const NodeId inner =
          tree_[child].kind == NodeKind::query ? child : tree_.child(child, NodeKind::query);
      ++nested_queries_;
      if (inner != kNoNode) shape = query(inner, {place.ctes, &into});
      --nested_queries_;
    } else if (tree_[child].kind == NodeKind::sample) {
      walk(child, place);
    }
  }
  add_source(id, kNoName, std::move(shape), into);
}

void Extractor::join(NodeId id, const Place& place, Sources& into) {
  order_marks(id);
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind == NodeKind::from_item) {
      from_item(child, place, into);
    } else {
      walk(child, {place.ctes, &into});
    }
  }
  if (!tree_.has(id, flag::natural)) return;
  // Which columns are compared follows the schemas of both sides.
  for (const Sources::Source& source : into.list) facts_.star |= source.shape.open;
}

void Extractor::lateral_view(NodeId id, const Place& place, Sources& into) {
  const NodeId function = tree_.child(id, NodeKind::call);
  bool open = true;
  if (function != kNoNode) {
    walk(function, {place.ctes, &into});
    const std::string_view name =
        tree_.names.text(single_name_of(tree_, tree_[function].first_child));
    open = name.substr(0, 6) == "inline";
    if (!is_pure_table_function(tree_.dialect, name)) {
      facts_.opaque_inputs.push_back(std::string(tree_.text(function)));
    }
  }
  const NodeId name = tree_.child(id, NodeKind::name);
  into.list.push_back({name == kNoNode ? kNoName : last_name_of(tree_, name), {open, false, {}}});
}

// IN my_enum: the values of a type that nothing versions.
void Extractor::pivot_types(NodeId id) {
  const NodeKind kind = tree_[id].kind;
  if (kind == NodeKind::pivot_for) {
    const NodeId name = tree_.child(id, NodeKind::name);
    if (name != kNoNode) facts_.opaque_inputs.push_back("type " + std::string(tree_.text(name)));
    return;
  }
  if (kind != NodeKind::pivot_on) return;
  for (const NodeId item : children(tree_, id)) {
    const NodeId expr = tree_.child(item, NodeKind::expr);
    if (expr == kNoNode) continue;
    NodeId before = kNoNode;
    for (const NodeId node : children(tree_, expr)) {
      const bool after_in = before != kNoNode && tree_[before].kind == NodeKind::op &&
                            lower_case(tree_.text(before)) == "in";
      if (after_in && tree_[node].kind == NodeKind::column) {
        facts_.opaque_inputs.push_back("type " + std::string(tree_.text(node)));
      }
      before = node;
    }
  }
}

// Columns that are neither pivoted nor named pass through.
void Extractor::pivot(NodeId id, const Place& place, Sources& into) {
  for (const NodeId child : children(tree_, id)) {
    if (tree_[child].kind != NodeKind::alias) walk(child, place);
  }
  for (Sources::Source& source : into.list) source.shape = {true, false, {}};
  add_source(id, kNoName, {true, false, {}}, into);
}

}  // namespace hodor
