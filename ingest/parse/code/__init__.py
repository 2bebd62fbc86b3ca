"""Source code: the file as it stands, cut at its definitions."""
