"""Is the knowledge base whole? Each check is a small function in `index.health.table`."""
