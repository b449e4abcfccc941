// The hash of a seed's CSV file, the same for checkouts with LF and with CRLF line ends.
//
// In:  the bytes of the file, and its delimiter when the caller knows it.
// Out: a hash over the bytes, with CR LF read as LF where that cannot be inside a quoted field.
// Never: folds a CR LF that some reader of CSV could take for data. Readers differ in quote, escape
// and delimiter, so a CR LF counts as data when any of these readings has it inside a quoted field.
#pragma once
#include <string>
#include <string_view>

namespace hodor {

// `delimiter`: empty, or the seed's own; every byte that is no letter or digit is tried anyway.
std::string seed_hash(std::string_view data, std::string_view delimiter = {});

// The bytes that are hashed.
std::string fold_line_ends(std::string_view data, std::string_view delimiter = {});

}  // namespace hodor
