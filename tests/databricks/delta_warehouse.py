"""What stands for everybody else in a warehouse: statements beside dbt's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Target:
    """A warehouse. `certificate`: of the stand-in, None for a workspace."""

    host: str
    http_path: str
    token: str
    catalog: str
    certificate: Path | None

    def connection_parameters(self) -> dict[str, Any]:
        """What the connector needs beside host, path and token."""
        if self.certificate is None:
            return {}
        return {
            "_connection_uri": f"https://{self.host}{self.http_path}",
            "_tls_trusted_ca_file": str(self.certificate),
            "enable_telemetry": False,
        }


class Warehouse:
    """One session. `run` gives rows as tuples."""

    def __init__(self, target: Target) -> None:
        import databricks.sql

        self.target = target
        self.catalog = target.catalog
        self._connection = databricks.sql.connect(
            server_hostname=target.host.split(":")[0],
            http_path=target.http_path,
            access_token=target.token,
            catalog=target.catalog,
            **target.connection_parameters(),
        )

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        with self._connection.cursor() as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()] if cursor.description else []

    def close(self) -> None:
        """Ends the session."""
        self._connection.close()
