"""Runs of programs with a limit of CPU time, which other load on the machine does not shorten."""
import math
import resource
import signal
import subprocess


def run(words, cpu_s, **more):
    """Like subprocess.run() with captured output. Raises subprocess.TimeoutExpired after cpu_s of CPU time, or after ten times
    as long and a minute on the wall clock."""
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    with subprocess.Popen(words, **more) as process:
        try:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (math.ceil(cpu_s), math.ceil(cpu_s) + 1))
        except ProcessLookupError:
            pass # it has ended
        try:
            out, err = process.communicate(timeout=10.0 * cpu_s + 60.0)
        except BaseException:
            process.kill()
            raise
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise subprocess.TimeoutExpired(words, cpu_s, out, err)
    return subprocess.CompletedProcess(words, process.returncode, out, err)
