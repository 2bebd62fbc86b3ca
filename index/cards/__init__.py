"""Cards: counts and shares over all documents, written out so that one hit answers "how many"."""
