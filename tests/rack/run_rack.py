"""Uses examples/rack like a user: installs wrsim to a folder, builds a copy of the example by pkg-config alone, and runs its programs.

The example is built without sanitizers, and under ASan and UBSan. The programs run over both transports. A slow machine changes
no verdict while an answer takes less than 5 s (SHORT_WAIT): in lock-step the plant waits for each answer that can come.

usage: run_rack.py ROOT BUILD MESON   (MESON: the command that installs)
"""

import csv
import glob
import json
import math
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

STEPS, DEATH = 240, 90
WAIT = ["--wait", "100"]            # s: longer than any answer takes
SHORT_WAIT = ["--wait", "5"]        # s: longer than an answer takes, in runs where some answers never come
PATIENCE = 280                      # s: limit of a program that hangs
SANITIZE = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
MAGIC, MEASUREMENT, COMMAND, END, BUSY = 0x4B434152, 1, 2, 3, 4

failed = []
number = 0


def check(is_right, name, *about):
    global number
    number += 1
    print("ok" if is_right else "not ok", number, "-", name, flush=True)
    if not is_right:
        failed.append(name)
        for line in about:
            print("#", line, flush=True)


# ---- build ----

def environment(prefix):
    """Returns the environment in which pkg-config finds only the wrsim installed below a folder, and the folder of its libraries."""
    found = [os.path.join(where, "wrsim.pc") for where, _, names in os.walk(prefix) if "wrsim.pc" in names]
    assert len(found) == 1, found
    pkgconfig = os.path.dirname(found[0])
    return dict(os.environ, PKG_CONFIG_LIBDIR=pkgconfig, PKG_CONFIG_SYSROOT_DIR=prefix,
                LC_ALL="C"), os.path.dirname(pkgconfig)


def build(source, folder, flags, env, libraries):
    """Builds a copy of the example outside of the source tree."""
    shutil.copytree(source, folder,
                    ignore=shutil.ignore_patterns("*.o", "rack_plant", "rack_controller"))
    done = subprocess.run(["make", "-s", "-C", folder, "CFLAGS=" + flags, "LDFLAGS=-Wl,-rpath," + libraries],
                          env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(done.returncode == 0 and not done.stdout, f"builds with pkg-config alone, without a warning ({flags})",
          *done.stdout.splitlines())
    return done.returncode == 0


# ---- runs ----

class Controller:
    """A controller process. end() waits for the process and returns its report."""

    def __init__(self, folder, link, *options):
        self.link = ["--link", link]
        if link == "shm":
            self.link += ["--name", f"/wrsim-rack-{os.getpid()}-{os.path.basename(folder)}"]
        port = ["--port", "0"] if link == "udp" else []
        self.process = subprocess.Popen([os.path.join(folder, "rack_controller"), *self.link, *port, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if link == "udp":
            self.port = int(self.process.stdout.readline().split()[1])
            self.link += ["--port", str(self.port)]

    def end(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        lines = [line for line in out.splitlines() if line.startswith("{")]
        return self.process.returncode, json.loads(lines[-1]) if lines else None, err


def plant(folder, results, *options):
    done = subprocess.run([os.path.join(folder, "rack_plant"), "--config", os.path.join(folder, "rack.toml"),
                           "--results", results, *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, json.loads(lines[-1]) if lines else None, done.stderr


def rows(path):
    """Returns the lines of a result file without its comments, because a comment contains the name of the file."""
    with open(path, encoding="ascii") as file:
        return [line for line in file if not line.startswith("#")]


def loop(folder, link, results, *options, controller=()):
    """Returns (code, report, stderr) of the plant, and the same of the controller or None."""
    if link == "local":
        return plant(folder, results, *options), None
    other = Controller(folder, link, *controller)
    try:
        mine = plant(folder, results, *other.link, *options)
        return mine, other.end()
    finally:
        if other.process.poll() is None:
            other.process.kill()
            other.process.communicate()


# ---- the checks ----

def check_same_bits(folder, scratch):
    """Without faults, results have the same bits with the controller in another process and in the plant. Every packet arrives."""
    (code, one, err), _ = loop(folder, "local", os.path.join(scratch, "local.csv"), "--steps", str(STEPS))
    check(code == 0 and one["end"] == "complete" and one["taken"] == STEPS, "local: complete", code, one, err)
    if code != 0:
        return None
    for link in ("udp", "shm"):
        path = os.path.join(scratch, link + ".csv")
        (code, report, err), other = loop(folder, link, path, "--steps", str(STEPS), *WAIT)
        check(code == 0 and report == one, f"{link}: every count and every bit of the exchange as local", report, one, err)
        check(code == 0 and rows(path) == rows(os.path.join(scratch, "local.csv")), f"{link}: the same results")
        check(other[0] == 0 and other[1] == {"taken": STEPS, "late": 0, "duplicate": 0, "malformed": 0, "foreign": 0,
                                             "refused": 0, "is_over": True}, f"{link}: the controller counts the same", *other)
    check(len(rows(path)) > STEPS, "the results have a row for each step")
    check(one["mean_error_pa"] < 1500.0, "boost pressure within 1 % of the set point", one)
    return one


def gone(line):
    """Returns the number of packets that do not reach the other end in order."""
    return line["lost"] + line["reordered"] + line["truncated"] + line["random"]


def check_faults(folder, scratch, clean, share, seed):
    """The loop completes all steps, and each count equals the injected faults, with every transport."""
    options = ["--steps", str(STEPS), "--faults", str(share), "--seed", str(seed), *WAIT]
    first = None
    for link in ("local", "udp", "shm"):
        name = f"{link}, faults {share}, seed {seed}"
        (code, r, err), other = loop(folder, link, os.path.join(scratch, "faults.csv"), *options)
        check(code == 0 and r and r["end"] == "complete", f"{name}: survives", code, r, err)
        if code != 0:
            continue
        up, down = r["up"], r["down"]
        check(up["messages"] == STEPS and down["messages"] == STEPS - gone(up), f"{name}: one answer to what arrives", r)
        check(r["taken"] == STEPS - gone(up) - gone(down) and r["held"] + r["safe"] == STEPS - r["taken"],
              f"{name}: commands taken and held", r)
        check(r["late"] == down["reordered"] - down["kept"] and r["duplicate"] == down["duplicated"] and
              r["malformed"] == down["truncated"] + down["random"] and r["foreign"] == 0,
              f"{name}: what the plant counts was injected", r)
        if other:
            check(other[0] == 0 and other[1] == {
                "taken": STEPS - gone(up), "late": up["reordered"] - up["kept"], "duplicate": up["duplicated"],
                "malformed": up["truncated"] + up["random"], "foreign": 0, "refused": 0, "is_over": True},
                  f"{name}: what the controller counts was injected", other, r)
        # The pressure swings by 4 kPa within a firing; the limit is the error without faults and a tenth of this swing.
        check(r["mean_error_pa"] < clean["mean_error_pa"] + 400.0, f"{name}: control quality", r, clean)
        first = first or r
        check(r == first, f"{name}: the same as local", r, first)
    return first


def check_death(folder, scratch, link):
    """A controller is killed: the loop continues with the safe command or stops. In both cases the exit code is 3. Both links report a
    missing controller to the plant. A datagram that reaches the controller before its end gets no answer, so the plant waits for the
    answer."""
    for policy, end in (("go-on", "complete"), ("stop", "no controller")):
        path = os.path.join(scratch, "death.csv")
        (code, r, err), other = loop(folder, link, path, "--steps", str(STEPS), "--on-silence", policy, *SHORT_WAIT,
                                     "--safe-after", "3", controller=("--die-after", str(DEATH)))
        name = f"{link}, controller killed, {policy}"
        check(code == 3 and r and r["end"] == end and "used the safe command" in err, f"{name}: exit code 3", code, r, err)
        check(other[0] == -signal.SIGKILL, f"{name}: it was killed", *other)
        if code != 3:
            continue
        check(r["taken"] == DEATH and r["held"] == 2 and r["last_command"] == {"wastegate": 1.0} and
              r["safe"] == (STEPS - DEATH - 2 if policy == "go-on" else 1), f"{name}: held, then safe", r)
        table = list(csv.reader(rows(path)))
        last_s = float(table[-1][0])
        n_done = STEPS if policy == "go-on" else r["steps"] - 1
        check(math.isclose(last_s, n_done * 500e-6), f"{name}: results can be read to the end", table[-1])
        opening = float(table[-1][-1])
        check(opening > 0.9 or policy == "stop", f"{name}: the safe command acts on the engine", table[-1])
    (code, r, err), _ = loop(folder, link, os.path.join(scratch, "death.csv"), "--steps", "12", "--wait", "1",
                             controller=("--die-after", "10"))
    check(code == 3 and r["safe"] == 0 and r["held"] == 2 and "2 of 12 steps had no new command" in err,
          f"{link}, controller killed before the last two steps: exit code 3", code, r, err)


# ---- packets without the code of the example ----

def check_nobody(folder, scratch):
    """Without a controller the loop runs with the safe command, and the exit code reports the missing controller."""
    code, r, err = plant(folder, os.path.join(scratch, "nobody.csv"), "--link", "udp", "--port", "9", "--steps", "20", *SHORT_WAIT)
    check(code == 3 and r and r["taken"] == 0 and "no controller answered" in err, "nobody there: exit code 3", code, r, err)


def packet(kind=MEASUREMENT, session=7, sequence=0, time_s=0.0, values=(150e3, 0.0, 0.0, 0.0), magic=MAGIC, version=1):
    head, tail = struct.pack("<IHHI", magic, version, kind, session), struct.pack("<Qd4d", sequence, time_s, *values)
    return head + struct.pack("<I", zlib.crc32(head + bytes(4) + tail)) + tail


def wastegate(pressures, setpoint=150e3):
    """Returns the commands of the controller's law, programmed a second time; pressures is [(value, steps since the previous value)]."""
    integral, window, commands = 0.0, [0.0] * 24, []
    for i, (pressure, n) in enumerate(pressures):
        window[i % 24] = pressure
        n_known = min(i + 1, 24)
        total = 0.0
        for value in window[:n_known]:
            total += value
        error = 1.0 / 4e3 * (total / n_known - setpoint)
        wanted = error + integral
        if not (wanted > 1.0 and error > 0.0 or wanted < 0.0 and error < 0.0):
            integral += error * (500e-6 * min(n, 20)) / 0.08
        commands.append(min(max(wanted, 0.0), 1.0))
    return commands


def check_by_hand(folder):
    """A plant of this script talks to the controller: byte layout, law, and wrong packets."""
    other = Controller(folder, "udp")
    try:
        talk_by_hand(other)
    except socket.timeout:
        check(False, "by hand: each sound measurement is answered")
    finally:
        if other.process.poll() is None:
            other.process.kill()
            other.process.communicate()


def talk_by_hand(other):
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    to = ("127.0.0.1", other.port)
    line.settimeout(60)
    stranger.settimeout(60)
    line.bind(("127.0.0.1", 0))
    good = packet(session=7, sequence=1)
    wrong = [b"", good[:-1], good + b"\0", packet(magic=MAGIC + 1), packet(version=2), packet(kind=9),
             packet(values=(math.nan, 0, 0, 0)), packet(time_s=math.inf),
             good[:20] + bytes([good[20] ^ 1]) + good[21:], os.urandom(64), os.urandom(1400)]
    sequence, pressures, replies = 0, [], []
    for i in range(60):
        step = 3 if i % 7 == 6 else 1
        sequence += step if i else 0
        pressure = 150e3 + 4e3 * math.sin(0.3 * i) + (8e3 if i > 30 else -1e3)
        pressures.append((pressure, step))
        line.sendto(packet(session=7, sequence=sequence, time_s=5e-4 * sequence, values=(pressure, 1.0, 2.0, 3.0)), to)
        replies.append(line.recv(2048))
        for bad in wrong if i == 20 else ():
            stranger.sendto(bad, to) # the controller must not answer to this socket
        if i == 25:
            line.sendto(packet(session=7, sequence=sequence), to)         # counts as duplicate
            line.sendto(packet(session=7, sequence=sequence - 1), to)     # counts as late
            stranger.sendto(packet(session=8, sequence=0), to)            # another plant: counts as foreign, and gets a refusal
            refusal = stranger.recv(2048)
            check(refusal == packet(kind=BUSY, session=8, sequence=0, values=(0, 0, 0, 0)), "by hand: another plant gets a refusal", refusal)
            stranger.sendto(packet(kind=END, session=8, sequence=1), to)  # foreign
            line.sendto(packet(session=7, sequence=sequence + 1, kind=COMMAND), to)
    line.sendto(packet(kind=END, session=7, sequence=sequence + 1), to)
    code, report, err = other.end()
    check(code == 0 and report == {"taken": 60, "late": 1, "duplicate": 1, "malformed": len(wrong), "foreign": 3, "refused": 1,
                                   "is_over": True}, "by hand: the controller counts what is wrong", report, err)
    told = [struct.unpack("<Qd4d", reply[16:])[2] for reply in replies]
    check(all(len(reply) == 64 and reply == packet(kind=COMMAND, session=7, sequence=s, time_s=5e-4 * s, values=(u, 0, 0, 0))
              for reply, u, s in zip(replies, told, [struct.unpack("<Q", r[16:24])[0] for r in replies])),
          "by hand: answers have the layout of packet.h")
    check(told == wastegate(pressures) and 0.0 in told and 1.0 in told, "by hand: the controller's law, bit for bit",
          told, wastegate(pressures))
    line.close()
    stranger.close()


def check_engine(root):
    """The engine of rack.toml is the shipped engine except for the gain and the connection listed below."""
    def body(path):
        with open(os.path.join(root, path), encoding="ascii") as file:
            text = file.read()
        start = text.index("# The airpath, in the direction of the gas")
        return text[start:text.index("# Subsystems:", start)].splitlines()
    ours, shipped = body("examples/rack/rack.toml"), body("models/engine/engine.toml")
    added = [line for line in ours if line not in shipped]
    gone_lines = list(shipped)
    for line in ours:
        if line in gone_lines:
            gone_lines.remove(line)
    def code(lines):
        return sorted(line.split("#")[0].strip() for line in lines if line)
    check(code(added) == ["gain = 0.0"] and
          code(gone_lines) == ["[[connection]]", 'from = "control.wastegate_trim"', "gain = 2.5e-5",
                               'to = "wastegate_actuator.trim"'],
          "rack.toml has the shipped engine", added, gone_lines)


def check_paced(folder, scratch):
    """Paced runs: the machine decides which steps are late. The program ends and counts all steps."""
    for link in ("udp", "shm"):
        (code, r, err), other = loop(folder, link, os.path.join(scratch, "paced.csv"), "--steps", "200", "--pace", "0.2")
        check(r["end"] == "complete" and r["taken"] + r["held"] + r["safe"] >= 200 and r["malformed"] == 0,
              f"{link}, paced: complete", code, r, err)
        check(code == (3 if r["safe"] else 0) and bool(err) == bool(r["safe"]), f"{link}, paced: exit code", code, r, err)
        check(other[0] == 0 and other[1]["is_over"], f"{link}, paced: the controller is told of the end", *other)


def check_two_plants(folder, scratch, clean):
    """Of two plants at a UDP controller, one has every command, and the other ends with exit code 3, in any order of arrival."""
    other = Controller(folder, "udp", "--idle", "60")
    command = [os.path.join(folder, "rack_plant"), "--config", os.path.join(folder, "rack.toml"), *other.link, "--steps", str(STEPS),
               *SHORT_WAIT, "--results"]
    both = [subprocess.Popen([*command, os.path.join(scratch, f"plant{i}.csv")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True) for i in range(2)]
    ends = [(*one.communicate(timeout=PATIENCE), one.returncode) for one in both]
    other.end()
    served = [json.loads(out) for out, err, code in ends if code == 0 and not err]
    refused = [err for out, err, code in ends if code == 3]
    check(len(served) == len(refused) == 1 and served[0] == clean, "two plants, udp: the first plant has the run of one plant", ends, clean)
    check(len(refused) == 1 and ("serves another plant" in refused[0] or "no controller answered" in refused[0]),
          "two plants, udp: the second plant is refused", ends)


def check_owners(folder, scratch):
    """Shared memory has one plant and one controller, and a port has one controller. A plant replaces the memory of a killed plant."""
    name = f"/wrsim-rack-owner-{os.getpid()}"
    memory = ["--link", "shm", "--name", name]
    command = [os.path.join(folder, "rack_plant"), "--config", os.path.join(folder, "rack.toml"), *memory, "--steps", "1e9", *WAIT,
               "--results", os.path.join(scratch, "owner.csv")]
    def begin(inode):
        one = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while one.poll() is None and not (os.path.exists("/dev/shm" + name) and os.stat("/dev/shm" + name).st_ino != inode):
            time.sleep(0.01)
        return one, os.stat("/dev/shm" + name).st_ino
    killed, inode = begin(-1)
    killed.kill()
    killed.communicate()
    one, _ = begin(inode)
    controller = [os.path.join(folder, "rack_controller"), *memory]
    first = subprocess.Popen(controller, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    listener = Controller(folder, "udp")
    try:
        check(first.stdout.readline() == "ready\n", "shm: the memory of a killed plant is replaced")
        code, report, err = plant(folder, os.path.join(scratch, "none.csv"), *memory)
        check(code == 1 and not report and "another plant uses" in err and name in err, "shm: a second plant is refused", code, err)
        for words, text in ((controller, "another controller uses"),
                            ([controller[0], "--port", str(listener.port)], f"UDP port {listener.port}: Address already in use")):
            done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
            check(done.returncode == 1 and text in done.stderr, "a second controller is refused: " + text, done)
        one.send_signal(signal.SIGINT)
        out, err = one.communicate(timeout=PATIENCE)
        report = json.loads(out)
        check(one.returncode == 0 and report["taken"] == report["steps"] and not err, "shm: the first plant has every command", out, err)
        first.communicate(timeout=PATIENCE)
        check(first.returncode == 0, "shm: the first controller has the end", first.returncode)
    finally:
        for process in (one, first, listener.process):
            process.kill()
            process.communicate()


def check_no_plant(folder):
    for link, code, text in ((["--port", "0"], 3, "no plant has sent a measurement"),
                             (["--link", "shm", "--name", "/wrsim-rack-absent"], 1, "'/wrsim-rack-absent' cannot be opened within 0.1 s")):
        done = subprocess.run([os.path.join(folder, "rack_controller"), *link, "--idle", "0.1"], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        check(done.returncode == code and text in done.stderr, f"no plant: exit code {code}", done)


def edited(folder, name, before, after):
    """Writes a copy of rack.toml with another line. Returns the options for this config."""
    path = os.path.join(folder, name + ".toml")
    with open(os.path.join(folder, "rack.toml"), encoding="ascii") as file:
        text = file.read()
    assert text.count(before) == 1, (before, text.count(before))
    with open(path, "w", encoding="ascii") as file:
        file.write(text.replace(before, after))
    return ["--config", path]


def check_configs(folder, scratch):
    """A config that does not fit the loop is refused. A run that ends early is no success. The loop begins at simulation.start."""
    step, period, port = "communication_step = 500e-6", "\nperiod = 100e-6", '\nname = "p_im"'
    for name, before, after, text in (
            ("coarse", step, "communication_step = 1e-3", "simulation.communication_step is 0.001 s"),
            ("fine", step, "communication_step = 250e-6", "simulation.communication_step is 0.00025 s"),
            ("rare", period, "\nperiod = 0.1", "slack.period is 0.1 s"),
            ("renamed", port, '\nname = "p_intake"', "has no port 'p_im' with the key 'from'"),
            ("input", 'to = "wastegate_actuator.trim"\nstart = 0.0', 'from = "wastegate_actuator.trim"',
             "has no port 'wastegate' with the key 'to'")):
        code, report, err = plant(folder, os.path.join(scratch, "none.csv"), *edited(folder, name, before, after))
        check(code == 1 and not report and text in err and name + ".toml" in err, f"config refused: {text}", code, err)
    late = edited(folder, "late", "stop = 0.3 ", "start = 1.0\nstop = 1.3 ")
    code, report, err = plant(folder, os.path.join(scratch, "late.csv"), *late, "--steps", "20")
    table = list(csv.reader(rows(os.path.join(scratch, "late.csv")))) if code == 0 else [["0"]]
    check(math.isclose(float(table[-1][0]), 1.01), "the loop begins at simulation.start", code, report, err, table[-1])
    ended = edited(folder, "ended", "\n[solver]\n", '\n[realtime]\nrate = 1e6\ndeadline = 1e-9\npolicy = "stop"\n\n[solver]\n')
    code, report, err = plant(folder, os.path.join(scratch, "none.csv"), *ended)
    check(code == 1 and report["end"] == "stopped" and "the simulation ended at t = " in err, "a run that ends early: exit code 1",
          code, report, err)


def check_more_signals(root, scratch, env, libraries):
    """The section "One more signal" of readme.md is true: one row and one port add a measurement, and the same for a command."""
    with open(os.path.join(root, "examples/rack/readme.md"), encoding="ascii") as file:
        section = file.read().split("## One more signal\n")[1].split("\n## ")[0]
    measured, commanded, law, ports = re.findall(r"^       \S.*\n(?:(?:       .*)?\n)*", section, re.M)
    source = os.path.join(scratch, "more-source")
    shutil.copytree(os.path.join(root, "examples/rack"), source, ignore=shutil.ignore_patterns("*.o"))
    for name, before, after in (
            ("signals.h", 'ROW(RACK_OMEGA, "omega") ', measured.strip() + ' ROW(RACK_OMEGA, "omega") '),
            ("signals.h", 'ROW(RACK_WASTEGATE, "wastegate"', commanded.strip() + ' ROW(RACK_WASTEGATE, "wastegate"'),
            ("boost_control.c", "    ret_command[RACK_WASTEGATE] = ", law + "    ret_command[RACK_WASTEGATE] = "),
            ("rack.toml", "\n[output]\n", "\n" + re.sub("^       ", "", ports, flags=re.M) + "\n[output]\n")):
        path = os.path.join(source, name)
        with open(path, encoding="ascii") as file:
            text = file.read()
        assert text.count(before) == 1, before
        with open(path, "w", encoding="ascii") as file:
            file.write(text.replace(before, after))
    more = os.path.join(scratch, "more")
    if not build(source, more, "-O2 -g", env, libraries):
        return
    reports = [loop(more, link, os.path.join(scratch, "more.csv"), "--steps", "100", *WAIT)[0] for link in ("local", "udp", "shm")]
    for code, report, err in reports:
        check(code == 0 and report == reports[0][1] and report["last_command"]["filter"] == 1.0 and report["limited"] == 100,
              "one more signal in each direction", code, report, err)


def check_refusals(folder, scratch):
    for options, wanted, text in ((["--link", "udp"], 2, "needs --port"), (["--link", "tcp"], 2, "not 'tcp'"),
                                  (["--on-silence", "halt"], 2, "--on-silence takes go-on or stop, not 'halt'"),
                                  (["--steps", "nan"], 2, "needs a number"), (["--what", "1"], 2, "unknown option"),
                                  (["--steps"], 2, "no value"), (["--config", "missing.toml"], 1, "missing.toml")):
        code, report, err = plant(folder, os.path.join(scratch, "none.csv"), *options)
        check(code == wanted and not report and text in err and ":0:" not in err, f"refused: {' '.join(options)}", code, err)


def check_shared(prefix, scratch):
    """Installed configs run from any folder, with the plug-in that one of them names."""
    (share,) = glob.glob(f"{prefix}/**/share/wrsim", recursive=True)
    (program,) = glob.glob(f"{prefix}/**/bin/wrsim", recursive=True)
    env = {name: value for name, value in os.environ.items() if name != "WRSIM_MODULES"}
    for config in ("models/plugin_example/plugin_example.toml", "models/two_mass/two_mass.toml", "examples/rack/rack.toml"):
        done = subprocess.run([program, f"{share}/{config}", "-q", "-D", "simulation.stop=0.01", "-D", "simulation.communication_step=0.001",
                               "-D", 'output.file=""'], cwd=scratch, env=env, capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"the installed {config} runs", done.stderr)


def main():
    root, build_folder, meson = sys.argv[1], sys.argv[2], sys.argv[3:]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wrsim-rack-") as scratch:
        prefix = os.path.join(scratch, "installed")
        done = subprocess.run([*meson, "install", "--no-rebuild", "-C", build_folder, "--destdir", prefix],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        check(done.returncode == 0, "wrsim installs", *done.stdout.splitlines()[-10:])
        if done.returncode == 0:
            check_shared(prefix, scratch)
            env, libraries = environment(prefix)
            plain, checked = os.path.join(scratch, "plain"), os.path.join(scratch, "checked")
            source = os.path.join(root, "examples/rack")
            if build(source, plain, "-O2 -g", env, libraries) and build(source, checked, SANITIZE, env, libraries):
                check_engine(root)
                clean = check_same_bits(plain, scratch)
                twin = check_same_bits(checked, scratch)
                check(clean and clean == twin, "the same bits as built with and without sanitizers", clean, twin)
                drawn = [check_faults(checked, scratch, clean, 0.01, seed) for seed in (1, 2)] if clean else []
                check(len(drawn) == 2 and all(drawn) and drawn[0]["digest"] != drawn[1]["digest"],
                      "another seed draws other faults")
                if clean:
                    check_faults(checked, scratch, clean, 0.04, 3)
                for link in ("udp", "shm"):
                    check_death(checked, scratch, link)
                check_by_hand(checked)
                check_paced(checked, scratch)
                check_nobody(checked, scratch)
                check_two_plants(checked, scratch, clean)
                check_owners(checked, scratch)
                check_no_plant(checked)
                check_configs(checked, scratch)
                check_refusals(checked, scratch)
                check_more_signals(root, scratch, env, libraries)
    print(f"# {time.monotonic() - began:.0f} s")
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
