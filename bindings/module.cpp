// The Python module dbt_hodor._core.
//
// In:  plain Python values.
// Out: plain Python values and a few opaque classes.
// Never: holds logic, keeps a global, or lets a C++ exception of the core cross (the core has
// none).
#include "bind.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The deterministic core of dbt-hodor: hashes, facts, lineage and decisions.";
  hodor::python::bind_hashes(m);
  hodor::python::bind_facts(m);
  hodor::python::bind_analysis(m);
  hodor::python::bind_batch(m);
  hodor::python::bind_lineage(m);
  hodor::python::bind_decision(m);
  hodor::python::bind_delta(m);
}
