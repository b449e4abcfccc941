// A planted fault: a fuzzer that does not find it finds no other either.
//
// Broken for a text that is understood and has an INTERSECT, which no seed has.
#include <cstdint>
#include <string_view>

#include "expect.hpp"
#include "hodor/syntax/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hodor;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  const Tree tree = parse_query(sql, Dialect::duckdb);
  bool intersects = false;
  for (const Node& node : tree.nodes) {
    intersects |= node.kind == NodeKind::set_operator && (node.flags & flag::set_intersect) != 0;
  }
  fuzz::expect(!tree.exact() || !intersects, "CANARY: an INTERSECT");
  return 0;
}
