"""The Thrift service (TCLIService, Databricks dialect) over HTTP."""

from __future__ import annotations

import json
import logging
import ssl
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pyarrow as pa
from databricks.sql.thrift_api.TCLIService import TCLIService
from databricks.sql.thrift_api.TCLIService import ttypes as t
from pyspark.sql.types import DecimalType, StructType
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from lakeside.engine import Engine

log = logging.getLogger("lakeside")
OK = t.TStatus(statusCode=t.TStatusCode.SUCCESS_STATUS)
_TYPE_IDS = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INT",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BINARY",
    "date": "DATE",
    "void": "NULL",
    "decimal": "DECIMAL",
    "array": "ARRAY",
    "map": "MAP",
    "struct": "STRUCT",
}


def _column(position: int, name: str, kind: Any) -> t.TColumnDesc:
    base = kind.simpleString().split("<")[0].split("(")[0]
    ident = getattr(t.TTypeId, _TYPE_IDS.get(base, "STRING") + "_TYPE")
    qualifiers = None
    if isinstance(kind, DecimalType):
        qualifiers = t.TTypeQualifiers(
            {
                "precision": t.TTypeQualifierValue(i32Value=kind.precision),
                "scale": t.TTypeQualifierValue(i32Value=kind.scale),
            }
        )
    entry = t.TTypeEntry(
        primitiveEntry=t.TPrimitiveTypeEntry(type=ident, typeQualifiers=qualifiers)
    )
    return t.TColumnDesc(columnName=name, typeDesc=t.TTypeDesc(types=[entry]), position=position)


def _direct(table: pa.Table, schema: StructType) -> t.TSparkDirectResults:
    """All rows at once, in Arrow, with the operation already closed."""
    metadata = t.TGetResultSetMetadataResp(
        status=OK,
        schema=t.TTableSchema(
            [_column(i + 1, f.name, f.dataType) for i, f in enumerate(schema.fields)]
        ),
        resultFormat=t.TSparkRowSetType.ARROW_BASED_SET,
        lz4Compressed=False,
        arrowSchema=table.schema.serialize().to_pybytes(),
    )
    batches = [
        t.TSparkArrowBatch(batch=b.serialize().to_pybytes(), rowCount=b.num_rows)
        for b in table.to_batches()
    ]
    return t.TSparkDirectResults(
        operationStatus=t.TGetOperationStatusResp(
            status=OK, operationState=t.TOperationState.FINISHED_STATE, hasResultSet=True
        ),
        resultSetMetadata=metadata,
        resultSet=t.TFetchResultsResp(
            status=OK,
            hasMoreRows=False,
            results=t.TRowSet(startRowOffset=0, rows=[], arrowBatches=batches),
        ),
        closeOperation=t.TCloseOperationResp(status=OK),
    )


def _failed(exc: Exception) -> t.TSparkDirectResults:
    text = str(exc)
    state = getattr(exc, "getSqlState", lambda: None)() or "HY000"
    return t.TSparkDirectResults(
        operationStatus=t.TGetOperationStatusResp(
            status=OK,
            operationState=t.TOperationState.ERROR_STATE,
            sqlState=state,
            errorMessage=text,
            displayMessage=text,
            hasResultSet=False,
        )
    )


class Service:
    """TCLIService.Iface: the calls databricks-sql-connector makes with direct results."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def OpenSession(self, req: t.TOpenSessionReq) -> t.TOpenSessionResp:
        space = req.initialNamespace
        session = self.engine.open(space and space.schemaName, req.configuration or {})
        version = t.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V7
        handle = t.TSessionHandle(
            sessionId=t.THandleIdentifier(guid=session.ident, secret=session.ident),
            serverProtocolVersion=version,
        )
        return t.TOpenSessionResp(
            status=OK,
            serverProtocolVersion=version,
            sessionHandle=handle,
            initialNamespace=space,
            canUseMultipleCatalogs=True,
        )

    def CloseSession(self, req: t.TCloseSessionReq) -> t.TCloseSessionResp:
        self.engine.close(req.sessionHandle.sessionId.guid)
        return t.TCloseSessionResp(status=OK)

    def _answer(self, response: Any, run: Any) -> Any:
        ident = uuid.uuid4().bytes
        try:
            direct = _direct(*run())
        except Exception as exc:
            log.debug("statement failed", exc_info=True)
            direct = _failed(exc)
        return response(
            status=OK,
            directResults=direct,
            operationHandle=t.TOperationHandle(
                operationId=t.THandleIdentifier(guid=ident, secret=ident),
                operationType=t.TOperationType.EXECUTE_STATEMENT,
                hasResultSet=True,
            ),
        )

    def ExecuteStatement(self, req: t.TExecuteStatementReq) -> t.TExecuteStatementResp:
        def run() -> tuple[pa.Table, StructType]:
            if req.parameters:
                raise NotImplementedError("native query parameters are not supported")
            session = self.engine.get(req.sessionHandle.sessionId.guid)
            return self.engine.execute(session, req.statement)

        return self._answer(t.TExecuteStatementResp, run)

    def _listing(self, response: Any, rows: list[tuple], names: str) -> Any:
        columns = names.split()
        schema = StructType()
        for name in columns:
            schema.add(name, "string")
        table = pa.table(
            {
                name: pa.array([row[i] for row in rows], pa.string())
                for i, name in enumerate(columns)
            }
        )
        return self._answer(response, lambda: (table, schema))

    def GetCatalogs(self, req: t.TGetCatalogsReq) -> t.TGetCatalogsResp:
        rows = [(self.engine.catalog.name,)]
        return self._listing(t.TGetCatalogsResp, rows, "TABLE_CAT")

    def GetSchemas(self, req: t.TGetSchemasReq) -> t.TGetSchemasResp:
        catalog = req.catalogName or self.engine.catalog.name
        want = (req.schemaName or "%").lower()
        rows = [(s, catalog) for s in self.engine.catalog.schemas() if want in ("%", "*", s)]
        return self._listing(t.TGetSchemasResp, rows, "TABLE_SCHEM TABLE_CATALOG")

    def GetTables(self, req: t.TGetTablesReq) -> t.TGetTablesResp:
        catalog = req.catalogName or self.engine.catalog.name
        schema = (req.schemaName or "").lower()
        rows = []
        if schema in self.engine.catalog.schemas():
            for db, name, meta in self.engine.catalog.entries(schema):
                kind = "VIEW" if meta.tableType().name() == "VIEW" else "TABLE"
                rows.append((catalog, db, name, kind, ""))
        return self._listing(
            t.TGetTablesResp, rows, "TABLE_CAT TABLE_SCHEM TABLE_NAME TABLE_TYPE REMARKS"
        )

    def CloseOperation(self, req: t.TCloseOperationReq) -> t.TCloseOperationResp:
        return t.TCloseOperationResp(status=OK)

    def CancelOperation(self, req: t.TCancelOperationReq) -> t.TCancelOperationResp:
        return t.TCancelOperationResp(status=OK)


def make_server(
    engine: Engine, host: str, port: int, token: str, tls: tuple[str, str] | None = None
) -> ThreadingHTTPServer:
    processor = TCLIService.Processor(Service(engine))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _send(self, code: int, body: bytes, kind: str) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            if self.path == "/.well-known/databricks-config":
                self._send(200, json.dumps({"workspace_id": "1"}).encode(), "application/json")
            elif self.path == "/ready":
                self._send(200, b"ok", "text/plain")
            else:
                self._send(404, b"{}", "application/json")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.headers.get("Authorization") != f"Bearer {token}":
                self._send(401, b"", "text/plain")
                return
            reply = TMemoryBuffer()
            processor.process(TBinaryProtocol(TMemoryBuffer(body)), TBinaryProtocol(reply))
            self._send(200, reply.getvalue(), "application/x-thrift")

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        # The handshake then happens in the connection's own thread.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    return server
