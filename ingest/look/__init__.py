"""Looking at a page of a file again: drawn, read, or asked whether its pictures matter."""
