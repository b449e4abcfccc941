"""The workers of the end-to-end tests serve the model test too."""

from e2e.conftest import failures_dir, pair

__all__ = ["failures_dir", "pair"]
