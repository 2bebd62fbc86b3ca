"""Neither PDF library may be used by two threads at once."""

import threading

ONE_AT_A_TIME = threading.Lock()
