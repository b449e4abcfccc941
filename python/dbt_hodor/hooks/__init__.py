"""The only modules that touch dbt's internals; every symbol they use is in signatures.json."""
