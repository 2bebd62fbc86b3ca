"""Where a question is answered from: passages alone, or what was derived from them, too."""

from query.route.base import Route
from query.route.choose import route

__all__ = ["Route", "route"]
