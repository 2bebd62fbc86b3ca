"""The package unstructured as one parser, on demand and for formats that it alone reads."""
