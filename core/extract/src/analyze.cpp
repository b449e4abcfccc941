// One pass: lex, parse, facts, code hash, parts.
#include "hodor/extract/analyze.hpp"

#include "hodor/base/sha256.hpp"
#include "hodor/canonical/canonical_form.hpp"
#include "hodor/extract/facts.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/syntax/parser.hpp"
#include "parts.hpp"

namespace hodor {

Analysis analyze(std::string_view sql, Dialect dialect, const AnalyzeOptions& options) {
  const CodeText text(sql, dialect, options.run_values);
  Analysis analysis;
  if (text.tier() == CodeTier::text) {
    analysis.tier = AnalysisTier::text;
    analysis.code_hash = CodeHasher(text, options.relation_ids).hash();
    analysis.facts.star = true;
    analysis.facts.order_sensitive = true;
    analysis.facts.inexact = true;
    analysis.facts.merges = true;
    if (!options.own.empty()) analysis.facts.own.reads = OwnReads::other;
    return analysis;
  }
  analysis.tier = AnalysisTier::tokens;
  const Tree tree = parse_query(text.sql(), dialect, text.lexed());
  ExtractOptions extract;
  extract.own = options.own;
  for (const RunValuePlace& place : text.run_value_places()) {
    extract.run_values.push_back({place.begin, place.end});
  }
  analysis.facts = extract_facts(tree, extract);
  const std::vector<std::uint8_t> keyword = foldable_keywords(tree);
  const CodeHasher hasher(text, options.relation_ids, TokenRoles{keyword});
  if (options.usual_settings && has_canonical_form(tree)) {
    analysis.tier = AnalysisTier::canonical;
    const CodeHasher folded(text, options.relation_ids, TokenRoles{tree.keyword});
    CanonicalForm form = canonical_form(tree, folded, options.columns);
    analysis.code_hash = sha256_hex(form.preimage.bytes());
    analysis.assumes = std::move(form.assumes);
  } else {
    analysis.code_hash = hasher.hash();
  }
  analysis.parts = hash_parts(tree, hasher);
  return analysis;
}

}  // namespace hodor
