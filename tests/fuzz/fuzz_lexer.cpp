// Any bytes → tokens that lie in order, in bounds, with nothing but white space between them.
#include <cstdint>
#include <string_view>

#include "expect.hpp"
#include "hodor/syntax/lexer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hodor;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  for (const Dialect dialect : {Dialect::duckdb, Dialect::databricks}) {
    const Lexed lexed = lex(sql, dialect);
    const std::string wrong = check_tokens(sql, dialect, lexed);
    fuzz::expect(wrong.empty(), "tokens are in order and in bounds", wrong);
  }
  return 0;
}
