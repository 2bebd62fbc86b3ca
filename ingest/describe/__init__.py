"""What a vision model says of a document's pictures, as elements of the document."""
