// Lexes and hashes many texts in one process.
//
// In:  records "<dialect> <bytes>\n<text>" on a stream.
// Out: one line "<tier> <code hash> <tokens> <error or ->" for each, then "# <bytes> <lex seconds>
//      <lex and hash seconds>".
// Never: goes on behind a malformed record.
#pragma once
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>

#include "hodor/syntax/dialect.hpp"

namespace hodor::dev {

std::optional<Dialect> parse_dialect(std::string_view name);

// The exit status.
int run_batch(std::istream& in, std::ostream& out);

}  // namespace hodor::dev
