"""The folder of each hostile case: valid inputs, which cases damage, and special files."""
import os
import shutil
import socket
import subprocess
import sys

GOOD = """[simulation]
stop = 1.0
communication_step = 0.01

[[component]]
name = "a"
model = "dahlquist"

[[component]]
name = "b"
model = "dahlquist"

[[connection]]
from = "a.x"
to = "b.u"
"""
# A scenario replaces a signal by a column of a file.
CYCLE = GOOD + """
[[scenario]]
name = "cycle"
signal = "a.x"
action = "replay"
at = 0.0
file = "cycle.csv"
column = "speed"
"""
# A recording replaces the subsystem b.
REPLAY = GOOD + """
[[connection]]
from = "b.x"
to = "a.u"

[[subsystem]]
name = "a"
components = ["a"]

[[subsystem]]
name = "b"
components = ["b"]
kind = "replay"
file = "tape.csv"
"""
# A linear model from a file.
LINEAR = """[simulation]
stop = 1.0

[[plugin]]
file = "m.ss"

[[component]]
name = "c"
model = "m"
"""
SPACE = """wrsim state space 1
# two states
model m
states 2
state 1 1.0
state 2 0.5
input u m 1 0
output y m 1 0
A 1 2 1
A 2 1 -4
B 2 1 1
C 1 1 1
rate 2 0.1
"""
PLAIN = SPACE.replace("# two states\n", "").replace("rate 2 0.1\n", "")
LADDER = "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n"
TEXTS = {"good.toml": GOOD, "cycle.toml": CYCLE, "replay.toml": REPLAY, "linear.toml": LINEAR, "good.ss": SPACE, "plain.ss": PLAIN,
         "cycle_good.csv": "time,speed,torque\n0,1,2\n0.5,3,4\n1,5,6\n", "G.mtx": LADDER,
         "b.mtx": "%%MatrixMarket matrix coordinate real general\n3 1 1\n1 1 1\n",
         "l.mtx": "%%MatrixMarket matrix coordinate real general\n3 1 1\n3 1 1\n"}


copy = shutil.copy2


def make(folder, wrsim, _plugins):
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    for words in (["-o", "good.csv", "--checkpoint", "good.ckpt"], ["-o", "good.h5"]):
        made = subprocess.run([wrsim, "-q", "good.toml"] + words, cwd=folder, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            sys.exit("Bail out! cannot make the fixtures: " + made.stderr)


def make_special(folder):
    """Makes special files: a pipe, a socket, a folder, and links that lead to no file."""
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(folder / "socket"))
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere")
