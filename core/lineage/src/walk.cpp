// See walk.hpp.
#include "walk.hpp"

#include <algorithm>

namespace hodor {

Input opaque_input(std::string text) { return Input{InputKind::opaque, std::move(text), "", ""}; }

Input file_input(const FileRead& file) {
  return Input{InputKind::file, file.function + ":" + file.pattern, "", ""};
}

void Walk::into_view(const Relation& view) {
  const Node node{&view, nullptr};
  if (!enter(node, view.key)) return;
  text(view.facts, view.key, view.scope);
  states_[node] = State::done;
  --depth_;
}

void Walk::into_function(const std::string& called, const Scope& scope) {
  const std::vector<UserFunction>* candidates = warehouse_.functions.find_user(called);
  if (candidates == nullptr) {
    if (!warehouse_.functions.is_builtin(called)) {
      inputs_.push_back(opaque_input("the function " + called + " is not known"));
    }
    return;
  }
  for (const UserFunction& function : *candidates) definitions(function, scope);
}

void Walk::into_implicit_function(const std::string& name, const Scope& scope) {
  const std::vector<UserFunction>* candidates = warehouse_.functions.find_user(name);
  if (candidates == nullptr) return;
  for (const UserFunction& function : *candidates) {
    // A body is a text too, so each of these would seem to call itself.
    if (states_.find(Node{&function, &scope}) == states_.end()) definitions(function, scope);
  }
}

void Walk::definitions(const UserFunction& function, const Scope& scope) {
  inputs_.push_back(Input{InputKind::function, function.name, "", function.definition_hash()});
  const Node node{&function, &scope};
  if (!enter(node, function.name)) return;
  for (const auto& [hash, facts] : function.definitions) text(facts, function.name, scope);
  states_[node] = State::done;
  --depth_;
}

// True when the body is to be read now; the caller then marks it done and steps back.
bool Walk::enter(const Node& node, const std::string& name) {
  const auto [state, is_new] = states_.emplace(node, State::open);
  if (!is_new) {
    if (state->second == State::open) inputs_.push_back(opaque_input(name + " reads itself"));
    return false;
  }
  if (depth_ >= kMaxViewDepth || inputs_.size() >= kMaxInputsOfView) {
    states_.erase(state);
    inputs_.push_back(opaque_input(name + " lies beyond the limits of a trace"));
    order_sensitive_ = true;
    return false;
  }
  ++depth_;
  return true;
}

void Walk::text(const std::optional<Facts>& facts, const std::string& owner, const Scope& scope) {
  if (!facts.has_value() || !facts->exact) {
    inputs_.push_back(opaque_input("the definition of " + owner + " is not understood"));
    order_sensitive_ = true;
  }
  if (!facts.has_value()) return;
  // What one text makes another may merge: a sum over a view's quotients.
  order_sensitive_ = order_sensitive_ || facts->order_sensitive || (inexact_ && facts->merges) ||
                     (merges_ && facts->inexact);
  inexact_ = inexact_ || facts->inexact;
  merges_ = merges_ || facts->merges;
  for (const RelationName& name : facts->relations) relation(name, scope);
  for (const std::string& path : facts->paths) inputs_.push_back(file_input({path, "delta"}));
  for (const FileRead& file : facts->files) {
    if (file.function.empty()) {
      resolved(warehouse_.names.resolve_file_name(file.pattern, scope), file.pattern);
    } else {
      inputs_.push_back(file_input(file));
    }
  }
  for (const std::string& opaque : facts->opaque_inputs) inputs_.push_back(opaque_input(opaque));
  for (const VolatileCall& call : facts->volatile_calls) {
    inputs_.push_back(Input{InputKind::volatile_value, name_of(call.volatile_class), "", ""});
  }
  for (const std::string& function : facts->functions) into_function(function, scope);
  for (const std::string& function : warehouse_.functions.implicit()) {
    into_implicit_function(function, scope);
  }
}

void Walk::relation(const RelationName& name, const Scope& scope) {
  if (name.pinned) {
    inputs_.push_back(opaque_input(relation_key(name.parts) + ": a fixed version is read"));
    return;
  }
  const Resolved target = warehouse_.names.resolve(name.parts, scope);
  resolved(target, target.is_file ? name.parts.front() : relation_key(name.parts));
}

void Walk::resolved(const Resolved& target, const std::string& written) {
  if (target.relation != nullptr) {
    const Relation& relation = *target.relation;
    inputs_.push_back(Input{relation.is_view ? InputKind::view : InputKind::table, relation.key, "",
                            relation.definition_hash});
    if (relation.is_view) into_view(relation);
  } else if (target.is_file) {
    inputs_.push_back(file_input({written, ""}));
  } else {
    inputs_.push_back(opaque_input(written + ": " + target.problem));
  }
}

std::vector<Input> Walk::take() {
  std::vector<Input> inputs = std::move(inputs_);
  inputs_.clear();
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs;
}

}  // namespace hodor
