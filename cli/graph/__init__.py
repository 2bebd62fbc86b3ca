"""The subcommands of ``tesela graph``."""
