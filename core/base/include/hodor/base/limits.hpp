// Every limit of the core, by name. Each has a test at the limit and one beyond it.
//
// In:  nothing; these are constants.
// Out: sizes, in the unit that the name or its comment tells.
// Never: beyond a limit a guess: the answer is an error or less exact, which can only cause builds.
#pragma once
#include <cstddef>

namespace hodor::limits {

// JSON of records: nesting, bytes of the text, and values in it.
inline constexpr std::size_t kJsonDepth = 64;
inline constexpr std::size_t kJsonBytes = 16u << 20;
inline constexpr std::size_t kJsonValues = 1u << 20;

// Python values that get hashed (configs): nesting and number of values.
inline constexpr std::size_t kValueDepth = 64;
inline constexpr std::size_t kValueCount = 1u << 20;

// Run values to replace in one text, and bytes of one of them. A shorter value could stand in the
// text by chance, and replacing it would make different texts equal.
inline constexpr std::size_t kRunValues = 256;
inline constexpr std::size_t kRunValueMinBytes = 16;
inline constexpr std::size_t kRunValueBytes = 4096;

// Bytes that the search for quoted fields in one seed may look at, over all readings of its quotes.
inline constexpr std::size_t kSeedScanBytes = 1u << 28;

// Inputs of one node in a record or a decision.
inline constexpr std::size_t kUpstreams = 20'000;

// Views and functions below one another, and inputs of one of them.
inline constexpr int kMaxViewDepth = 64;
inline constexpr std::size_t kMaxInputsOfView = 5'000;

// Bytes of one text column of a record that is not JSON (a hash, a data version).
inline constexpr std::size_t kRecordTextBytes = 4096;

// Rows of one listing of a Delta table's history: the largest page that is asked for.
inline constexpr std::size_t kHistoryRows = 1000;

// One SQL text: bytes, and tokens in it. Beyond them the text tier remains.
inline constexpr std::size_t kSqlBytes = 16u << 20;
inline constexpr std::size_t kSqlTokens = 4u << 20;

// Nesting of queries, expressions, joins and types in one text; the parser recurses once per level.
inline constexpr std::size_t kSqlNesting = 256;

// Columns of one query and tables behind it, as far as names are followed; beyond, none is renamed.
inline constexpr std::size_t kScopeColumns = 20'000;
inline constexpr std::size_t kScopeTables = 500;
// Steps of looking for names in one text.
inline constexpr std::size_t kScopeSteps = 1u << 19;

}  // namespace hodor::limits
