"""Prints the config of a ring of RC ladders, one subsystem each: many tasks for many workers.

usage: ring.py NUMBER
"""
import sys

HEAD = """[simulation]
stop = 1.0
communication_step = 0.1
rtol = 1e-5
[relaxation]
window = { initial = 0.1, min = 1e-6, max = 0.1 }
"""
PIECE = """[[component]]
name = "p{left}"
model = "rc_ladder"
parameters = {{ n = 3, open_end = 0 }}
start = {{ "v[1]" = {start} }}
[[connection]]
from = "p{left}.v_last"
to = "p{right}.u"
[[connection]]
from = "p{right}.v_first"
to = "p{left}.v_right"
"""

n = int(sys.argv[1])
print(HEAD + "".join(PIECE.format(left=i, right=(i + 1) % n, start=1.0 + i / n) for i in range(n)))
