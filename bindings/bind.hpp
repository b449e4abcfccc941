// The groups of the Python API; each .cpp file beside this one registers one.
//
// Bindings convert, release the GIL and turn Result into exceptions. They hold no logic.
#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "hodor/base/result.hpp"

namespace hodor::python {

void bind_hashes(nanobind::module_& m);

// The value, or ValueError with the core's words.
template <class T>
T value_or_raise(Result<T> result) {
  if (!result.ok()) throw nanobind::value_error(result.error().c_str());
  return std::move(result).value();
}

}  // namespace hodor::python
