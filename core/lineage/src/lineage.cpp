// The catalog's doors: what is put in, and the trace of one text with its groups. See lineage.hpp.
#include "hodor/lineage/lineage.hpp"

#include <algorithm>

#include "walk.hpp"

namespace hodor {

struct Catalog::Impl {
  Warehouse warehouse;
  bool is_listed = false;        // between invalidate() and set_builtin_functions()
  std::uint64_t generation = 1;  // moves whenever a closure may have become wrong

  const Closure& closure_of(const Relation& view) const {
    if (view.closure.has_value() && view.closure->generation == generation) return *view.closure;
    Walk walk(warehouse);
    walk.into_view(view);
    std::vector<Input> inputs = walk.take();
    view.closure = Closure{std::move(inputs), walk.order_sensitive(), walk.inexact(), walk.merges(),
                           generation};
    return *view.closure;
  }
};

namespace {

// One text's inputs with their groups.
class Trace {
 public:
  Trace(const Warehouse& warehouse, std::string reader_key)
      : warehouse_(warehouse), reader_key_(std::move(reader_key)) {}

  template <typename ClosureOf>
  void read(const Facts& facts, const ClosureOf& closure_of) {
    inputs_.reserve(facts.relations.size() + 4);
    if (!facts.exact) direct(opaque_input("the text is not understood"));
    for (const RelationName& name : facts.relations) relation(name, closure_of);
    for (const std::string& path : facts.paths) direct(file_input({path, "delta"}));
    for (const FileRead& file : facts.files) {
      if (!file.function.empty()) {
        direct(file_input(file));
        continue;
      }
      const Scope& scope = warehouse_.names.default_scope();
      resolved(warehouse_.names.resolve_file_name(file.pattern, scope), file.pattern, closure_of);
    }
    for (const std::string& text : facts.opaque_inputs) direct(opaque_input(text));
    for (const VolatileCall& call : facts.volatile_calls) {
      if (call.use == VolatileUse::stamp) continue;
      direct(Input{InputKind::volatile_value, name_of(call.volatile_class), "", ""});
    }
    for (const std::string& called : facts.functions) function(called);
    for (const std::string& name : warehouse_.functions.implicit()) function(name);
  }

  void direct(Input input) {
    input.group = input.key;
    inputs_.push_back(std::move(input));
  }

  std::vector<Input> take() {
    std::sort(inputs_.begin(), inputs_.end());
    inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
    return std::move(inputs_);
  }

 private:
  template <typename ClosureOf>
  void relation(const RelationName& name, const ClosureOf& closure_of) {
    if (name.pinned) {
      direct(opaque_input(relation_key(name.parts) + ": a fixed version is read"));
      return;
    }
    const Resolved target = warehouse_.names.resolve(name.parts, warehouse_.names.default_scope());
    if (target.relation != nullptr) {
      resolved(target, {}, closure_of);
      return;
    }
    const std::string key = relation_key(name.parts);
    if (!key.empty() && key == reader_key_) return;  // Not built yet.
    resolved(target, target.is_file ? name.parts.front() : key, closure_of);
  }

  template <typename ClosureOf>
  void resolved(const Resolved& target, const std::string& written, const ClosureOf& closure_of) {
    if (target.relation == nullptr) {
      direct(target.is_file ? file_input({written, ""})
                            : opaque_input(written + ": " + target.problem));
      return;
    }
    const Relation& relation = *target.relation;
    if (relation.key == reader_key_) return;
    direct(Input{relation.is_view ? InputKind::view : InputKind::table, relation.key, "",
                 relation.definition_hash});
    if (relation.is_view) behind(closure_of(relation).inputs, relation.key);
  }

  void function(const std::string& called) {
    if (warehouse_.functions.find_user(called) == nullptr &&
        warehouse_.functions.is_builtin(called)) {
      return;
    }
    Walk walk(warehouse_);
    walk.into_function(called, warehouse_.names.default_scope());
    behind(walk.take(), "function:" + called);
  }

  // What a node reads of itself behind a view is not the plain self-read that rule 8b understands.
  void behind(const std::vector<Input>& inputs, const std::string& group) {
    for (const Input& input : inputs) {
      const bool is_relation = input.kind == InputKind::table || input.kind == InputKind::view;
      if (is_relation && input.key == reader_key_) {
        inputs_.push_back(Input{InputKind::opaque, "its own relation through " + group, group, ""});
        continue;
      }
      inputs_.push_back(input);
      inputs_.back().group = group;
    }
  }

  const Warehouse& warehouse_;
  std::string reader_key_;
  std::vector<Input> inputs_;
};

}  // namespace

Catalog::Catalog(std::string default_database, std::string default_schema)
    : impl_(std::make_shared<Impl>(
          Impl{Warehouse{Names(default_database, default_schema), Functions()}})) {}

void Catalog::put_table(const std::vector<std::string>& parts) {
  const bool is_known = type_of(parts) == "table";
  Relation* relation = impl_->warehouse.names.put(parts);
  if (relation == nullptr || is_known) return;
  relation->is_view = false;
  relation->definition_hash.clear();
  relation->facts.reset();
  ++impl_->generation;
}

void Catalog::put_view(const std::vector<std::string>& parts, std::string definition_hash,
                       std::optional<Facts> facts) {
  const bool is_known = type_of(parts) == "view";
  Relation* relation = impl_->warehouse.names.put(parts);
  if (relation == nullptr) return;
  if (is_known && relation->definition_hash == definition_hash && relation->facts == facts) return;
  relation->is_view = true;
  relation->definition_hash = std::move(definition_hash);
  relation->facts = std::move(facts);
  ++impl_->generation;
}

void Catalog::put_function(const std::string& name, std::string definition_hash,
                           std::optional<Facts> facts) {
  impl_->warehouse.functions.put(name, std::move(definition_hash), std::move(facts));
  ++impl_->generation;
}

void Catalog::clear_functions() {
  impl_->warehouse.functions.clear_user();
  ++impl_->generation;
}

void Catalog::set_builtin_functions(std::vector<std::string> names) {
  impl_->warehouse.functions.set_builtin(names);
  impl_->is_listed = true;
  ++impl_->generation;
}

void Catalog::remove(const std::vector<std::string>& parts) {
  if (impl_->warehouse.names.remove(parts)) ++impl_->generation;
}

void Catalog::invalidate() {
  impl_->warehouse.names.clear();
  clear_functions();
  impl_->is_listed = false;
}

void Catalog::distrust_partial_names() {
  impl_->warehouse.names.distrust_partial();
  ++impl_->generation;
}

std::vector<Input> Catalog::trace(const Facts& facts,
                                  const std::vector<std::string>& reader) const {
  Trace trace(impl_->warehouse, relation_key(reader));
  if (!impl_->is_listed) trace.direct(opaque_input("the warehouse was not listed"));
  trace.read(facts,
             [this](const Relation& view) -> const Closure& { return impl_->closure_of(view); });
  return trace.take();
}

bool Catalog::order_sensitive(const Facts& facts) const {
  if (facts.order_sensitive || !facts.exact || !impl_->is_listed) return true;
  const Names& names = impl_->warehouse.names;
  const Scope& scope = names.default_scope();
  bool inexact = facts.inexact;
  bool merges = facts.merges;
  const auto adds_up_sensitive = [&](bool sensitive, bool part_is_inexact, bool part_merges) {
    sensitive = sensitive || (inexact && part_merges) || (merges && part_is_inexact);
    inexact = inexact || part_is_inexact;
    merges = merges || part_merges;
    return sensitive;
  };
  const auto is_sensitive_view = [&](const Relation* relation) {
    if (relation == nullptr || !relation->is_view) return false;
    const Closure& closure = impl_->closure_of(*relation);
    return adds_up_sensitive(closure.order_sensitive, closure.inexact, closure.merges);
  };
  for (const RelationName& name : facts.relations) {
    if (is_sensitive_view(names.resolve(name.parts, scope).relation)) return true;
  }
  for (const FileRead& file : facts.files) {
    if (!file.function.empty()) continue;
    if (is_sensitive_view(names.resolve_file_name(file.pattern, scope).relation)) return true;
  }
  Walk walk(impl_->warehouse);
  for (const std::string& called : facts.functions) walk.into_function(called, scope);
  for (const std::string& name : impl_->warehouse.functions.implicit()) {
    walk.into_implicit_function(name, scope);
  }
  return adds_up_sensitive(walk.order_sensitive(), walk.inexact(), walk.merges());
}

std::string Catalog::type_of(const std::vector<std::string>& parts) const {
  if (parts.size() != 3) return {};
  const Relation* relation = impl_->warehouse.names.find(parts[0], parts[1], parts[2]);
  if (relation == nullptr) return {};
  return relation->is_view ? "view" : "table";
}

}  // namespace hodor
