"""Tables as text that keeps a row and its header together, whatever format they come from."""
