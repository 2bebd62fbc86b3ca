"""The sample corpus that ships with the tool."""
