"""OpenDocument: container → styles → text, sheets or slides."""
