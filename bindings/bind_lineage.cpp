#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "hodor/facts/facts.hpp"
#include "hodor/lineage/lineage.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

using Parts = std::vector<std::string>;

const char* name_of(InputKind kind) {
  switch (kind) {
    case InputKind::table:
      return "table";
    case InputKind::view:
      return "view";
    case InputKind::file:
      return "file";
    case InputKind::function:
      return "function";
    case InputKind::volatile_value:
      return "volatile_value";
    case InputKind::opaque:
      return "opaque";
  }
  return "opaque";
}

using InputTuple = std::tuple<const char*, std::string, std::string, std::string>;

std::vector<InputTuple> trace(const Catalog& catalog, const Facts& facts, const Parts& reader) {
  std::vector<InputTuple> inputs;
  for (Input& input : catalog.trace(facts, reader)) {
    inputs.emplace_back(name_of(input.kind), std::move(input.key), std::move(input.group),
                        std::move(input.definition_hash));
  }
  return inputs;
}

std::vector<std::string> relation_keys(const std::vector<Parts>& relations) {
  std::vector<std::string> keys;
  keys.reserve(relations.size());
  for (const Parts& parts : relations) keys.push_back(relation_key(parts));
  return keys;
}

}  // namespace

void bind_lineage(nb::module_& m) {
  m.def("relation_key", &relation_key, "parts"_a,
        "The key of a relation: lower-case parts joined by '.', quoted where needed.");
  m.def("relation_keys", &relation_keys, "relations"_a, "The same for many relations.");
  nb::class_<Catalog>(
      m, "Catalog",
      "The relations and functions of one warehouse at one moment. The GIL guards it.")
      .def(nb::init<std::string, std::string>(), "default_database"_a, "default_schema"_a)
      .def("put_table", &Catalog::put_table, "parts"_a)
      .def("put_view", &Catalog::put_view, "parts"_a, "definition_hash"_a, "facts"_a.none(),
           "facts: of the warehouse definition; None when it could not be analysed.")
      .def("put_function", &Catalog::put_function, "name"_a, "definition_hash"_a, "facts"_a.none(),
           "Another definition under a known name is an overload: both count.")
      .def("clear_functions", &Catalog::clear_functions)
      .def("set_builtin_functions", &Catalog::set_builtin_functions, "names"_a,
           "Functions of the engine. Ends what invalidate() began, so call it last.")
      .def("remove", &Catalog::remove, "parts"_a)
      .def("invalidate", &Catalog::invalidate,
           "Nothing is known any more: every trace has an opaque input.")
      .def("distrust_partial_names", &Catalog::distrust_partial_names,
           "Temporary objects may exist: names without a database are opaque from now on.")
      .def("trace", &trace, "facts"_a, "reader"_a,
           "The inputs as (kind, key, group, definition_hash); reads of `reader` are left out.\n\n"
           "kind: table, view, file, function, volatile_value or opaque.")
      .def("order_sensitive", &Catalog::order_sensitive, "facts"_a,
           "Whether the order of input rows matters to the text or to a view on the way.")
      .def("type_of", &Catalog::type_of, "parts"_a, "table, view or empty.");
}

}  // namespace hodor::python
