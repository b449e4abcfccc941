#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "hodor/facts/codec.hpp"
#include "hodor/facts/facts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

// Members are read-only and copied out, so no Python reference points into a vector.
constexpr auto kCopy = nb::rv_policy::copy;

VolatileClass volatile_class_named(std::string_view name) {
  return value_named<VolatileClass>("volatile class", name,
                                    {{"date", VolatileClass::date},
                                     {"session", VolatileClass::session},
                                     {"always", VolatileClass::always}});
}

VolatileUse volatile_use_named(std::string_view name) {
  return value_named<VolatileUse>("volatile use", name,
                                  {{"stamp", VolatileUse::stamp}, {"logic", VolatileUse::logic}});
}

OwnReads own_reads_named(std::string_view name) {
  return value_named<OwnReads>("kind of own reads", name,
                               {{"none", OwnReads::none},
                                {"high_water_mark", OwnReads::high_water_mark},
                                {"other", OwnReads::other}});
}

void bind_parts_of_facts(nb::module_& m) {
  nb::class_<RelationName>(m, "RelationName", "A relation as the text names it: 1 to 3 parts.")
      .def(
          "__init__",
          [](RelationName* self, std::vector<std::string> parts, bool pinned) {
            new (self) RelationName{std::move(parts), pinned};
          },
          "parts"_a, "pinned"_a = false)
      .def_ro("parts", &RelationName::parts, kCopy)
      .def_ro("pinned", &RelationName::pinned, "Time travel: reads a fixed version.")
      .def(nb::self == nb::self);
  nb::class_<FileRead>(m, "FileRead", "A file read by literal name or glob.")
      .def(
          "__init__",
          [](FileRead* self, std::string pattern, std::string function) {
            new (self) FileRead{std::move(pattern), std::move(function)};
          },
          "pattern"_a, "function"_a = "")
      .def_ro("pattern", &FileRead::pattern)
      .def_ro("function", &FileRead::function, "Lower case; empty for a file name in FROM.")
      .def(nb::self == nb::self);
  nb::class_<VolatileCall>(m, "VolatileCall", "A call whose value changes without any input.")
      .def(
          "__init__",
          [](VolatileCall* self, std::string_view volatile_class, std::string_view use,
             std::string text, std::string alias) {
            new (self) VolatileCall{volatile_class_named(volatile_class), volatile_use_named(use),
                                    std::move(text), std::move(alias)};
          },
          "volatile_class"_a, "use"_a, "text"_a, "alias"_a = "")
      .def_prop_ro("volatile_class",
                   [](const VolatileCall& self) { return name_of(self.volatile_class); })
      .def_prop_ro("use", [](const VolatileCall& self) { return name_of(self.use); })
      .def_ro("text", &VolatileCall::text)
      .def_ro("alias", &VolatileCall::alias, "Output column of a stamp, else empty.")
      .def(nb::self == nb::self);
  nb::class_<OwnReadFacts>(m, "OwnReadFacts", "How a text reads the relation that it builds.")
      .def(
          "__init__",
          [](OwnReadFacts* self, std::string_view reads, bool plain_greater) {
            new (self) OwnReadFacts{own_reads_named(reads), plain_greater};
          },
          "reads"_a = "none", "plain_greater"_a = false)
      .def_prop_ro(
          "reads", [](const OwnReadFacts& self) { return name_of(self.reads); },
          "none, high_water_mark or other.")
      .def_ro("plain_greater", &OwnReadFacts::plain_greater)
      .def(nb::self == nb::self);
}

void init_facts(Facts* self, bool exact, std::vector<RelationName> relations,
                std::vector<std::string> paths, std::vector<FileRead> files,
                std::vector<std::string> opaque_inputs, std::vector<VolatileCall> volatile_calls,
                std::vector<std::string> functions, std::vector<std::string> columns,
                std::vector<std::string> output_columns, bool star, bool order_sensitive,
                bool inexact, bool merges, const OwnReadFacts& own) {
  new (self) Facts{exact,
                   std::move(relations),
                   std::move(paths),
                   std::move(files),
                   std::move(opaque_inputs),
                   std::move(volatile_calls),
                   std::move(functions),
                   std::move(columns),
                   std::move(output_columns),
                   star,
                   order_sensitive,
                   inexact,
                   merges,
                   own};
}

void bind_facts_class(nb::module_& m) {
  using Names = std::vector<std::string>;
  nb::class_<Facts>(
      m, "Facts", "What one SQL text reads, calls and depends on. Default: nothing was understood.")
      .def("__init__", &init_facts, nb::kw_only(), "exact"_a = false,
           "relations"_a = std::vector<RelationName>(), "paths"_a = Names(),
           "files"_a = std::vector<FileRead>(), "opaque_inputs"_a = Names(),
           "volatile_calls"_a = std::vector<VolatileCall>(), "functions"_a = Names(),
           "columns"_a = Names(), "output_columns"_a = Names(), "star"_a = false,
           "order_sensitive"_a = false, "inexact"_a = false, "merges"_a = false,
           "own"_a = OwnReadFacts())
      .def_ro("exact", &Facts::exact, "The whole skeleton was understood.")
      .def_ro("relations", &Facts::relations, kCopy)
      .def_ro("paths", &Facts::paths, kCopy)
      .def_ro("files", &Facts::files, kCopy)
      .def_ro("opaque_inputs", &Facts::opaque_inputs, kCopy)
      .def_ro("volatile_calls", &Facts::volatile_calls, kCopy)
      .def_ro("functions", &Facts::functions, kCopy)
      .def_ro("columns", &Facts::columns, kCopy)
      .def_ro("output_columns", &Facts::output_columns, kCopy)
      .def_ro("star", &Facts::star)
      .def_ro("order_sensitive", &Facts::order_sensitive)
      .def_ro("inexact", &Facts::inexact)
      .def_ro("merges", &Facts::merges)
      .def_ro("own", &Facts::own, kCopy)
      .def(nb::self == nb::self)
      .def("__repr__", [](const Facts& self) { return value_or_raise(encode_facts(self)); })
      .def(
          "encode", [](const Facts& self) { return value_or_raise(encode_facts(self)); },
          "The text that records keep; equal facts give equal text.")
      .def_static(
          "decode", [](std::string_view text) { return value_or_raise(decode_facts(text)); },
          "text"_a, "Raises ValueError for a text that was cut, altered or of another version.")
      .def_static(
          "merge", [](const std::vector<const Facts*>& all) { return merge_facts(all); }, "facts"_a,
          "What several texts read together; exact only if all are. Output columns of the first.");
}

}  // namespace

void bind_facts(nb::module_& m) {
  bind_parts_of_facts(m);
  bind_facts_class(m);
}

}  // namespace hodor::python
