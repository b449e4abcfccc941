#include "envelope.hpp"
#include "hodor/base/json.hpp"
#include "hodor/base/sha256.hpp"
#include "hodor/facts/codec.hpp"

namespace hodor {
namespace {

void write(json::Writer& out, const std::string& text) { out.text(text); }

void write(json::Writer& out, const RelationName& relation);
void write(json::Writer& out, const FileRead& file);
void write(json::Writer& out, const VolatileCall& call);

template <class Item>
void write_list(json::Writer& out, const std::vector<Item>& items) {
  out.begin_array();
  for (const Item& item : items) write(out, item);
  out.end_array();
}

void write(json::Writer& out, const RelationName& relation) {
  const auto& [parts, pinned] = relation;
  out.begin_array();
  write_list(out, parts);
  out.boolean(pinned);
  out.end_array();
}

void write(json::Writer& out, const FileRead& file) {
  const auto& [pattern, function] = file;
  out.begin_array();
  out.text(pattern);
  out.text(function);
  out.end_array();
}

void write(json::Writer& out, const VolatileCall& call) {
  const auto& [volatile_class, use, text, alias] = call;
  out.begin_array();
  out.text(name_of(volatile_class));
  out.text(name_of(use));
  out.text(text);
  out.text(alias);
  out.end_array();
}

void write(json::Writer& out, const OwnReadFacts& own) {
  const auto& [reads, plain_greater] = own;
  out.begin_array();
  out.text(name_of(reads));
  out.boolean(plain_greater);
  out.end_array();
}

template <class Item>
void write_field(json::Writer& out, std::string_view name, const std::vector<Item>& items) {
  out.key(name);
  write_list(out, items);
}

void write_field(json::Writer& out, std::string_view name, bool value) {
  out.key(name);
  out.boolean(value);
}

}  // namespace

Result<std::string> encode_facts(const Facts& facts) {
  // Bound by structure: a field that is added to Facts does not compile until it is written here.
  const auto& [exact, relations, paths, files, opaque_inputs, volatile_calls, functions, columns,
               output_columns, star, order_sensitive, inexact, merges, own] = facts;
  json::Writer out;
  out.begin_object();
  write_field(out, "exact", exact);
  write_field(out, "relations", relations);
  write_field(out, "paths", paths);
  write_field(out, "files", files);
  write_field(out, "opaque_inputs", opaque_inputs);
  write_field(out, "volatile_calls", volatile_calls);
  write_field(out, "functions", functions);
  write_field(out, "columns", columns);
  write_field(out, "output_columns", output_columns);
  write_field(out, "star", star);
  write_field(out, "order_sensitive", order_sensitive);
  write_field(out, "inexact", inexact);
  write_field(out, "merges", merges);
  out.key("own");
  write(out, own);
  out.end_object();
  HODOR_TRY(body, std::move(out).finish());
  return envelope::wrap(body);
}

}  // namespace hodor
