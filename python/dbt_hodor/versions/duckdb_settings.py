"""Which of DuckDB's settings can change what a query returns.

In:  nothing; this is data.
Out: names that cannot matter, and the defaults of those that can.
Never: leaves an unknown setting out: a name in neither list counts by its value.
"""

from __future__ import annotations

HARMLESS_SETTINGS = frozenset(
    """
    access_mode allocator_background_threads allocator_bulk_deallocation_flush_threshold
    allocator_flush_threshold allow_community_extensions allow_extension_repositories
    allow_extensions_metadata_mismatch allow_persistent_secrets allow_unredacted_secrets
    allow_unsigned_extensions allowed_configs allowed_directories allowed_paths
    approximate_join_order_threshold arrow_large_buffer_size arrow_lossless_conversion
    arrow_output_list_view arrow_output_version asof_loop_join_threshold async_threads
    auto_checkpoint_skip_wal_threshold autoinstall_extension_repository
    autoinstall_known_extensions autoload_known_extensions block_allocator_memory
    cache_local_files catalog_error_max_schemas checkpoint_on_detach checkpoint_threshold
    current_transaction_invalidation_policy custom_extension_repository custom_profiling_settings
    custom_user_agent default_block_size default_secret_storage
    default_transaction_invalidation_policy disable_database_invalidation
    disable_parquet_prefetching disabled_compression_methods disabled_filesystems
    disabled_log_types duckdb_api dynamic_or_filter_threshold enable_caching_operators
    enable_external_access enable_external_file_cache enable_fsst_vectors enable_http_logging
    enable_http_metadata_cache enable_logging enable_macro_dependencies enable_object_cache
    enable_optimistic_write enable_profiling enable_progress_bar enable_progress_bar_print
    enable_view_dependencies enabled_log_types errors_as_json experimental_metadata_reuse
    explain_output extension_directories extension_directory extension_repository_directory
    external_file_cache_local_max_block_size external_file_cache_remote_max_block_size
    external_file_cache_remote_min_block_size external_file_cache_request_sizing
    external_file_cache_spill external_threads force_bitpacking_mode force_column_metadata_reuse
    force_compression force_mbedtls_unsafe force_variant_shredding fsync_mode
    geometry_minimum_shredding_size http_client_pool_capacity http_logging_output http_proxy
    http_proxy_password http_proxy_username http_retry_quota_throttled
    http_retry_throttled_wait_ms immediate_transaction_mode index_scan_max_count
    index_scan_percentage initial_column_segment_size late_materialization_max_rows
    lock_configuration log_query_path logging_level logging_mode logging_sink logging_storage
    max_execution_time max_expression_depth max_memory max_streaming_buffer_size
    max_temp_directory_size max_vacuum_tasks memory_limit merge_join_threshold
    nested_loop_join_threshold operator_memory_limit ordered_aggregate_threshold
    pandas_analyze_sample parquet_metadata_cache parquet_prefetch_column_gap
    parquet_use_page_index partitioned_write_flush_threshold partitioned_write_max_open_files
    password perfect_ht_threshold pin_threads pivot_filter_threshold prefer_range_joins
    prefetch_all_parquet_files produce_arrow_string_view profile_output profiling_coverage
    profiling_mode profiling_output profiling_renderer_settings progress_bar_time
    read_ahead_depth redact_http_logs scheduler_process_partial secret_directory
    standard_vector_size storage_block_prefetch storage_compatibility_version
    streaming_buffer_size temp_directory temp_file_encryption threads tracked_metrics user
    username vacuum_rebuild_indexes validate_external_file_cache variant_minimum_shredding_size
    wal_autocheckpoint wal_autocheckpoint_entries worker_threads write_buffer_row_group_count
    write_buffer_row_group_memory_limit zstd_min_string_length
    __delta_only_variant_encoding_enabled
    """.split()  # noqa: SIM905 - a word list
)
"""Resources, storage, logging, security and speed. A limit can only make a query fail."""

HARMLESS_PREFIXES = (
    "http_", "s3_", "azure_", "hf_", "ducklake_", "pg_connection_", "pg_pool_", "ca_cert_",
    "enable_server_cert_",
)  # fmt: skip
"""Settings of extensions about connections and retries."""

DEFAULTS: dict[str, frozenset[str]] = {
    name: frozenset(values.split("|"))
    for name, values in {
        "active_grammar_extensions": "[]",
        "allow_parser_override_extension": "DEFAULT",
        "binary_as_string": "false",
        "Calendar": "gregorian",
        "current_dialect": "NULL",
        "debug_asof_iejoin": "false",
        "debug_checkpoint_abort": "NONE",
        "debug_checkpoint_scan_sleep_ms": "0",
        "debug_checkpoint_sleep_ms": "0",
        "debug_eviction_queue_sleep_micro_seconds": "0",
        "debug_force_external": "false",
        "debug_force_no_cross_product": "false",
        "debug_physical_table_scan_execution_strategy": "DEFAULT",
        "debug_skip_checkpoint_on_commit": "false",
        "debug_verify_blocks": "false",
        "debug_verify_vector": "NONE",
        "debug_window_mode": "WINDOW",
        "default_collation": "",
        "default_null_order": "NULLS_LAST",
        "default_order": "ASCENDING",
        "deprecated_using_key_syntax": "DEFAULT",
        "dialect_compatibility_mode": "NONE",
        "disable_timestamptz_casts": "false",
        "disabled_optimizers": "",
        "enable_geoparquet_conversion": "true",
        "enable_optimizer": "true",
        "file_search_path": "",
        "home_directory": "",
        "ieee_floating_point_ops": "true",
        "ignore_unknown_crs": "false",
        "integer_division": "false",
        "json_geometry_format": "wkt",
        "lambda_syntax": "DEFAULT",
        "null_order": "NULLS_LAST",
        "old_implicit_casting": "false",
        "order_by_non_integer_literal": "false",
        "parquet_can_have_nan": "false",
        "pivot_limit": "100000",
        "preserve_identifier_case": "true|preserve_case",
        "preserve_insertion_order": "true",
        "python_enable_replacements": "true",
        "python_scan_all_frames": "false",
        "scalar_subquery_error_on_multiple_rows": "true",
        "schema": "main",
        "search_path": "",
        "show_behavior": "AUTO",
        "warnings_as_errors": "false",
    }.items()
}
"""Defaults in 1.5 and 2.0 of what can matter. The time zone has none: it counts by its value."""


def counts(name: str, value: str | None) -> bool:
    """Whether a setting with this value has to be part of the environment."""
    if name in HARMLESS_SETTINGS or name.startswith(HARMLESS_PREFIXES):
        return False
    return ("NULL" if value is None else value) not in DEFAULTS.get(name, frozenset())
