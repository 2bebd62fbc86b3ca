"""The ways in which a file with pictures can be read, side by side."""
