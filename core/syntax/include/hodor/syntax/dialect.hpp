// The SQL dialects that hodor reads. Everything that differs between them is a table of data keyed
// by this enum; no other layer branches on it.
#pragma once

namespace hodor {

enum class Dialect { duckdb, databricks };

}  // namespace hodor
