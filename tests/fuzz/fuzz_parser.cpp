// Any bytes → a tree that covers every token; statements of a text do not overlap.
#include <cstdint>
#include <string_view>

#include "expect.hpp"
#include "hodor/syntax/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hodor;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    const std::string wrong = check_shape(parse_query(sql, dialect));
    fuzz::expect(wrong.empty(), "the tree of a query is well formed", wrong);
    const Lexed lexed = lex(sql, dialect);
    for (const TokenRange range : split_statements(lexed.tokens, sql)) {
      const std::string off = check_shape(parse_statement(sql, dialect, lexed, range));
      fuzz::expect(off.empty(), "the tree of a statement is well formed", off);
    }
  }
  return 0;
}
