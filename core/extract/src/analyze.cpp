// One pass: lex, parse, facts, code hash, parts; the canonical text is read once more.
#include "hodor/extract/analyze.hpp"

#include <optional>
#include <utility>

#include "hodor/base/sha256.hpp"
#include "hodor/canonical/canonical_form.hpp"
#include "hodor/canonical/canonical_text.hpp"
#include "hodor/extract/facts.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/syntax/parser.hpp"
#include "parts.hpp"

namespace hodor {
namespace {

constexpr int kRounds = 4;  // of printing what was printed; one or two are the rule

// One text, read for its canonical form. Nothing moves once it is made.
struct Reading {
  Reading(std::string_view sql, Dialect dialect, const AnalyzeOptions& options)
      : text(sql, dialect, {}),
        tree(parse_query(text.sql(), dialect, text.lexed())),
        tokens(text, options.relation_ids, TokenRoles{tree.keyword}) {}

  CodeText text;
  Tree tree;
  CodeHasher tokens;
};

std::string hash_of(const Reading& read, const AnalyzeOptions& options) {
  if (!has_canonical_form(read.tree)) return {};
  return sha256_hex(canonical_form(read.tree, read.tokens, options.columns).preimage.bytes());
}

// Printed once, read again: only a text of the same hash will do.
TextSource print_once(const Reading& read, const AnalyzeOptions& options, const std::string& hash,
                      std::string& printed) {
  const CanonicalText text(read.tree, read.tokens, options.columns);
  for (const NewNames names :
       {NewNames::each, NewNames::shared, NewNames::none, NewNames::as_written}) {
    printed = text.whole(names);
    if (hash_of(Reading(printed, read.tree.dialect, options), options) != hash) continue;
    const bool is_kept = names == NewNames::none || names == NewNames::as_written;
    return is_kept ? TextSource::kept_names : TextSource::form;
  }
  return TextSource::unprinted;
}

// Printed until it prints itself.
void print(const Tree& tree, const AnalyzeOptions& options, Analysis& analysis) {
  std::string text(tree.sql);
  for (int round = 0; round < kRounds; ++round) {
    std::string printed;
    const Reading read(text, tree.dialect, options);
    const TextSource source = print_once(read, options, analysis.code_hash, printed);
    if (source == TextSource::unprinted) break;
    if (printed == text) {
      analysis.text_source = source;
      analysis.text = std::move(text);
      return;
    }
    text = std::move(printed);
  }
  analysis.text_source = TextSource::unprinted;
  analysis.text = spaced_text(tree.sql, tree.tokens);
}

}  // namespace

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
    if (options.texts) analysis.text = text.sql();
    if (options.texts) analysis.text_source = TextSource::tokens;
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
  const bool is_canonical = options.usual_settings && has_canonical_form(tree);
  std::vector<std::uint8_t> keyword;
  if (!is_canonical || options.parts || options.texts) keyword = foldable_keywords(tree);
  const CodeHasher hasher(text, options.relation_ids, TokenRoles{keyword});
  const CodeHasher folded(text, options.relation_ids, TokenRoles{tree.keyword});
  if (is_canonical) {
    analysis.tier = AnalysisTier::canonical;
    CanonicalForm form = canonical_form(tree, folded, options.columns);
    analysis.code_hash = sha256_hex(form.preimage.bytes());
    analysis.assumes = std::move(form.assumes);
  } else {
    analysis.code_hash = hasher.hash();
  }
  count_opaque(tree, &analysis.opaque, &analysis.opaque_tokens);
  if (!options.parts && !options.texts) return analysis;
  std::optional<CanonicalText> canonical;
  if (has_canonical_form(tree)) canonical.emplace(tree, folded, options.columns);
  if (options.texts && analysis.tier == AnalysisTier::canonical) {
    print(tree, options, analysis);
  } else if (options.texts) {
    analysis.text = spaced_text(tree.sql, tree.tokens);
    analysis.text_source = TextSource::tokens;
  }
  analysis.parts = hash_parts(tree, hasher, canonical ? &*canonical : nullptr, options.texts);
  return analysis;
}

}  // namespace hodor
