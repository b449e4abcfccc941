// Facts ↔ the text in which records keep them, and the union of the facts of several texts.
//
// In:  facts; or text of a record that anyone may have damaged.
// Out: one text per facts; or facts that encode to exactly that text; or an error.
// Never: facts from a text that was cut, altered or written by another version.
//
// Grammar (compact JSON, every key present, in this order):
//   text      ::= {"v":1,"sum":SUM,"facts":FACTS}
//   SUM       ::= the first 16 hex digits of the SHA-256 of the bytes of FACTS
//   FACTS     ::= {"exact":BOOL,"relations":[[[PART…],PINNED]…],"paths":[…],
//                  "files":[[PATTERN,FUNCTION]…],"opaque_inputs":[…],
//                  "volatile_calls":[[CLASS,USE,TEXT,ALIAS]…],"functions":[…],"columns":[…],
//                  "output_columns":[…],"star":BOOL,"order_sensitive":BOOL,
//                  "inexact":BOOL,"merges":BOOL,"own":[READS,PLAIN_GREATER]}
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "hodor/base/result.hpp"
#include "hodor/facts/facts.hpp"

namespace hodor {

// An error when a text in the facts is not UTF-8.
Result<std::string> encode_facts(const Facts& facts);
Result<Facts> decode_facts(std::string_view text);

// What the texts read, call and depend on together. The result is exact only if all are; no texts
// at all give default facts, which are not exact. Output columns are those of the first.
Facts merge_facts(const std::vector<const Facts*>& all);

// Names as records and Python spell them; a closed list each.
const char* name_of(VolatileClass volatile_class);
const char* name_of(VolatileUse use);
const char* name_of(OwnReads reads);
const char* name_of(StatementKind kind);

}  // namespace hodor
