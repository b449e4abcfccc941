// What a fuzz target says when a property does not hold: the property, then it ends the process.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

namespace hodor::fuzz {

inline void expect(bool holds, const char* property, const std::string& detail = "") {
  if (holds) return;
  std::fprintf(stderr, "PROPERTY BROKEN: %s\n%s\n", property, detail.c_str());
  std::abort();
}

}  // namespace hodor::fuzz
