// The groups of the Python API; each bind_*.cpp file beside this one registers one.
//
// Bindings convert, release the GIL and turn Result into exceptions. They hold no logic.
#pragma once
#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "hodor/base/result.hpp"
#include "hodor/syntax/dialect.hpp"

namespace hodor::python {

void bind_hashes(nanobind::module_& m);
void bind_facts(nanobind::module_& m);
void bind_analysis(nanobind::module_& m);
void bind_batch(nanobind::module_& m);
void bind_lineage(nanobind::module_& m);
void bind_decision(nanobind::module_& m);
void bind_delta(nanobind::module_& m);

// The value, or ValueError with the core's words.
template <class T>
T value_or_raise(Result<T> result) {
  if (!result.ok()) throw nanobind::value_error(result.error().c_str());
  return std::move(result).value();
}

// A name of a closed list, or ValueError that shows the list.
template <class Enum>
struct Named {
  std::string_view name;
  Enum value;
};
template <class Enum>
Enum value_named(std::string_view what, std::string_view name,
                 std::initializer_list<Named<Enum>> all) {
  for (const Named<Enum>& one : all) {
    if (one.name == name) return one.value;
  }
  std::string message = "unknown " + std::string(what) + " '" + std::string(name) + "'; known:";
  for (const Named<Enum>& one : all) message.append(" ").append(one.name);
  throw nanobind::value_error(message.c_str());
}

// duckdb or databricks.
inline Dialect dialect_named(std::string_view name) {
  return value_named<Dialect>("dialect", name,
                              {{"duckdb", Dialect::duckdb}, {"databricks", Dialect::databricks}});
}

}  // namespace hodor::python
