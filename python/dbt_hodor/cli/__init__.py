"""The command `dbt-hodor`: reads what runs recorded. It never decides and never builds."""
