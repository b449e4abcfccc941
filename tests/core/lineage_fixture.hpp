// What the lineage tests share: a small warehouse, facts by hand, traces as lines.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hodor/lineage/lineage.hpp"

namespace hodor {

using Parts = std::vector<std::string>;
using Lines = std::vector<std::string>;

inline Facts exact() {
  Facts facts;
  facts.exact = true;
  return facts;
}

inline Facts reading(const std::vector<Parts>& relations) {
  Facts facts = exact();
  for (const Parts& parts : relations) facts.relations.push_back(RelationName{parts, false});
  return facts;
}

inline Facts calling(const std::string& function) {
  Facts facts = exact();
  facts.functions.push_back(function);
  return facts;
}

inline const char* kind_text(InputKind kind) {
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
      return "volatile";
    case InputKind::opaque:
      return "opaque";
  }
  return "";
}

// "kind key" or "kind key @group", with "#hash" where there is one; an opaque text is cut at ':'.
inline Lines lines(const std::vector<Input>& inputs) {
  Lines all;
  for (const Input& input : inputs) {
    const bool opaque = input.kind == InputKind::opaque;
    std::string line = std::string(kind_text(input.kind)) + " ";
    line += opaque ? input.key.substr(0, input.key.find(": ")) : input.key;
    if (input.group != input.key) line += " @" + input.group;
    if (!input.definition_hash.empty()) line += " #" + input.definition_hash;
    all.push_back(line);
  }
  return all;
}

class LineageTest : public testing::Test {
 protected:
  LineageTest() : catalog("w", "main") {
    catalog.put_table({"w", "main", "t"});
    catalog.put_table({"w", "raw", "orders"});
    catalog.set_builtin_functions({"lower", "sum", "+", "date_part", "read_csv_auto"});
  }
  Lines trace(const Facts& facts, const Parts& reader = {"w", "main", "node"}) const {
    return lines(catalog.trace(facts, reader));
  }
  Lines trace_of(const std::vector<Parts>& relations) const { return trace(reading(relations)); }
  bool is_opaque(const Facts& facts) const {
    for (const Input& input : catalog.trace(facts, {"w", "main", "node"})) {
      if (input.kind == InputKind::opaque) return true;
    }
    return false;
  }
  bool is_opaque(const Parts& parts) const { return is_opaque(reading({parts})); }
  void view(const Parts& parts, const Facts& facts) { catalog.put_view(parts, "h", facts); }

  Catalog catalog;
};

}  // namespace hodor
