// One SQL text → everything that a decision needs from it, with one pass of the parser.
//
// In:  the compiled text, its dialect, the values of this run, the project's relation names.
// Out: tier and code hash, facts, one hash per CTE, output column and clause for `explain`, and on
// request texts for people.
// Never: throws, guesses, or touches anything outside its arguments. What is not understood makes
// `facts.exact` false; a text that cannot be lexed has no facts at all.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hodor/facts/facts.hpp"
#include "hodor/scopes/scopes.hpp"
#include "hodor/syntax/dialect.hpp"

namespace hodor {

class RelationIds;  // fingerprint/: relation parts → unique_id

struct AnalyzeOptions {
  // (value of this run, placeholder): replaced for the hash, and counted as `volatile:always`.
  std::vector<std::pair<std::string, std::string>> run_values;
  const RelationIds* relation_ids = nullptr;  // may be null: no relation name is replaced
  std::vector<std::string> own;               // parts of the node's own relation; may be empty
  // The engine's settings are at their defaults, which is what the canonical form assumes.
  bool usual_settings = false;
  KnownColumns columns;  // of tables, for the canonical form
  bool parts = true;     // hashes of parts
  bool texts = false;    // the canonical text, of the whole and of each part
};

// What the hash was made from. Part of the pre-image, so tiers never collide.
enum class AnalysisTier { canonical, tokens, text };

// The body is the main query without its CTEs and the expressions of its columns: its clauses,
// which are parts of their own as well, the names and the order of its columns, what is said of all
// rows.
enum class PartKind { cte, column, clause, body };
struct Part {
  PartKind kind = PartKind::body;
  // Of the CTE or output column, as written; an unnamed column is "#<position>". Of a clause: its
  // words ("group by"); empty for the body.
  std::string name;
  std::string hash;  // hex
  std::string text;  // on request
};

// Where the canonical text comes from.
enum class TextSource {
  none,        // not asked for
  form,        // printed from the syntax tree
  kept_names,  // the same, without new names: with them it would have another hash
  unprinted,   // the tokens as written: what was printed would have another hash
  tokens       // the tokens as written: there is no canonical form
};

struct Analysis {
  AnalysisTier tier = AnalysisTier::text;
  std::string code_hash;         // hex SHA-256
  std::vector<Absence> assumes;  // by the hash, on the canonical tier; sorted
  Facts facts;
  std::vector<Part> parts;
  std::size_t opaque = 0;  // runs of tokens that were not understood
  std::size_t opaque_tokens = 0;
  std::string text;  // on request: of the same hash
  TextSource text_source = TextSource::none;
};
Analysis analyze(std::string_view sql, Dialect dialect, const AnalyzeOptions& options);

// A hook, a sql_header or another text of several statements.
struct StatementsAnalysis {
  std::string code_hash;  // of the whole text
  std::vector<StatementFacts> statements;
};
StatementsAnalysis analyze_statements(std::string_view sql, Dialect dialect,
                                      const AnalyzeOptions& options);

}  // namespace hodor
