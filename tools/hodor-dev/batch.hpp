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

#include "hodor/scopes/scopes.hpp"
#include "hodor/syntax/dialect.hpp"

namespace hodor::dev {

std::optional<Dialect> parse_dialect(std::string_view name);

// The exit status. `columns`: of the tables that the texts read.
int run_batch(std::istream& in, std::ostream& out, const KnownColumns& columns);

}  // namespace hodor::dev
