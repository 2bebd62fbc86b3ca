"""PDF: an engine gives pages of lines, which become blocks in reading order, then elements."""
