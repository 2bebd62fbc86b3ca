"""Files are read by processes of their own, so that one that hangs or crashes costs itself only.

`Pool` gives what was read in the order that was asked for. A worker is one process (`worker` is our
side of it, `child` its own); it takes orders and gives answers over two pipes (`wire`), and long
answers through a file without a name (`spool`). The limits are kept by the kernel, see `child`.
"""
