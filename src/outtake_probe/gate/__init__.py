"""The gate: every invocation and every queued message passes it."""
