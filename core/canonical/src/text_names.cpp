// See text_names.hpp.
#include "text_names.hpp"

namespace hodor {

bool is_plain_alias(const Tree& tree, std::uint32_t token) {
  const Token& t = tree.tokens[token];
  if (t.kind == TokenKind::quoted_identifier) return true;
  if (t.kind != TokenKind::identifier) return false;
  return t.word_class == WordClass::none ||
         (tree.dialect == Dialect::databricks && t.word_class == WordClass::unreserved);
}

TextNames::TextNames(const Tree& tree, const Naming& naming, NewNames new_names)
    : tree_(tree),
      naming_(naming),
      new_names_(new_names),
      source_of_(tree.tokens.size(), kNone),
      keeps_source_(scopes().sources.size()),
      used_(scopes().sources.size()),
      is_twice_(scopes().sources.size()),
      keeps_definition_(scopes().definitions.size()),
      others_(tree.names.size()),
      is_relation_(tree.names.size()),
      new_sources_(scopes().sources.size()),
      new_definitions_(scopes().definitions.size()),
      first_of_name_(tree.names.size(), kNone) {
  // Before a name that could be a keyword AS counts, so a new name would make another form.
  for (std::uint32_t i = 0; i < scopes().definitions.size(); ++i) {
    const Definition& definition = scopes().definitions[i];
    const bool is_column = definition.kind == Definition::Kind::column;
    if (is_column && !is_plain_alias(tree, definition.token)) keeps_definition_[i] = 1;
  }
  for (std::uint32_t i = 0; i < scopes().sources.size(); ++i) {
    const std::uint32_t token = own_token(i);
    if (token != kNone) source_of_[token] = i;
    if (scopes().sources[i].path_token != kNone) source_of_[scopes().sources[i].path_token] = i;
  }
  for (const Reference& reference : scopes().references) {
    const Node& node = tree[reference.node];
    if (node.end > node.begin + 1) source_of_[node.begin] = reference.source;
  }
  for (const StarReference& star : scopes().stars) source_of_[star.token] = star.source;
  find_qualified();
}

bool TextNames::may_drop(const Node& column) const {
  const NameUse use = naming_[column.begin];
  return column.end == column.begin + 3 && use.kind == NameUse::Kind::dropped && !use.is_assumed;
}

// `t.a` tells that t has a: what else is named a could be read in another way without it.
void TextNames::find_qualified() {
  is_qualified_.resize(tree_.names.size(), has_none() ? 1 : 0);
  for (const Source& source : scopes().sources) is_qualified_[source.name] = 1;
  for (const Definition& definition : scopes().definitions) {
    if (definition.kind != Definition::Kind::column) is_qualified_[definition.name] = 1;
  }
  for (const Reference& reference : scopes().references) {
    const Node& node = tree_[reference.node];
    const bool is_single = node.end == node.begin + 1;
    const bool is_clear = reference.for_definition.begin == reference.for_definition.end;
    if (is_single ? is_clear : may_drop(node)) continue;
    is_qualified_[tree_.tokens[is_single ? node.begin : node.begin + 2].name] = 1;
  }
}

bool TextNames::drops_qualifier(const Node& column) const {
  if (in_piece()) {
    return column.end == column.begin + 3 && naming_[column.begin].kind == NameUse::Kind::dropped;
  }
  return may_drop(column) && is_qualified_[tree_.tokens[column.begin + 2].name] == 0;
}

// Of its alias, else of its relation.
std::uint32_t TextNames::own_token(std::uint32_t source) const {
  const Source& found = scopes().sources[source];
  return found.definition != kNone ? scopes().definitions[found.definition].token
                                   : found.path_token;
}

void TextNames::note_as_written(std::uint32_t token) {
  const NameUse use = naming_[token];
  if (use.kind == NameUse::Kind::column || use.kind == NameUse::Kind::cte) {
    keeps_definition_[use.number] = 1;
  }
  const std::uint32_t source = source_of_[token];
  if (source == kNone) return;
  keep_source(source);
  used_[source] = 1;
}

// A source without an alias has the name of its CTE.
void TextNames::keep_source(std::uint32_t source) {
  keeps_source_[source] = 1;
  const std::uint32_t token = own_token(source);
  if (token == kNone || naming_[token].kind != NameUse::Kind::cte) return;
  keeps_definition_[naming_[token].number] = 1;
}

bool TextNames::needs_alias(std::uint32_t source) const {
  if (used_[source] != 0 || is_twice_[source] != 0 || has_none()) return true;
  if (in_piece()) return false;
  const std::uint32_t path = scopes().sources[source].path_token;
  if (path == kNone) return false;
  // Its own name could be taken for something else.
  const NameId name = ascii_name(tree_, path);
  return name == kNoName || others_[name] > 0;
}

bool TextNames::keeps_own_name(std::uint32_t source) const {
  return scopes().sources[source].definition == kNone &&
         (keeps_names() || keeps_source_[source] != 0);
}

std::uint32_t TextNames::kept_source(std::uint32_t source) const {
  const std::uint32_t own = own_token(source);
  const NameUse::Kind use = own == kNone ? NameUse::Kind::dropped : naming_[own].kind;
  const bool is_new = use == NameUse::Kind::dropped || use == NameUse::Kind::cte;
  return keeps_names() || keeps_source_[source] != 0 || !is_new ? own : kNone;
}

std::uint32_t TextNames::kept_definition(std::uint32_t definition) const {
  const Definition& found = scopes().definitions[definition];
  const bool keeps = keeps_names() || keeps_definition_[definition] != 0 ||
                     (new_names_ == NewNames::shared && others_[found.name] > 0);
  return keeps ? found.token : kNone;
}

std::string TextNames::fresh(const char* kind, std::uint32_t& count) {
  while (true) {
    // Not `t_1`: DuckDB makes such names of columns that come twice.
    std::string name = std::string(kind).append(std::to_string(++count));
    const NameId other = tree_.names.find(name);
    if (other == kNoName || (others_[other] == 0 && is_relation_[other] == 0)) return name;
  }
}

void TextNames::forget_new() {
  new_sources_.assign(new_sources_.size(), {});
  new_definitions_.assign(new_definitions_.size(), {});
  first_of_name_.assign(first_of_name_.size(), kNone);
  sources_ = columns_ = ctes_ = 0;
}

const std::string& TextNames::new_source(std::uint32_t source) {
  std::string& name = new_sources_[source];
  if (name.empty()) name = fresh("t", sources_);
  return name;
}

const std::string& TextNames::new_definition(std::uint32_t definition, bool is_cte) {
  if (new_names_ == NewNames::shared) {
    std::uint32_t& first = first_of_name_[scopes().definitions[definition].name];
    if (first == kNone) first = definition;
    definition = first;
  }
  std::string& name = new_definitions_[definition];
  if (name.empty()) name = is_cte ? fresh("cte", ctes_) : fresh("c", columns_);
  return name;
}

}  // namespace hodor
