"""Many questions in one run: read, answered in order by several threads, written line by line."""
