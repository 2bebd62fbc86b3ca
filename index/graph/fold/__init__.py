"""From what the chunks gave to one graph."""
