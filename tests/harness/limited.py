"""Runs programs with a limit of CPU time, which does not depend on other load of the machine."""
import math
import resource
import signal
import subprocess


def run(words, cpu_s, **more):
    """Runs a program like subprocess.run() with captured output. Raises subprocess.TimeoutExpired after cpu_s seconds of CPU time, or after
    10 cpu_s + 60 s on the wall clock."""
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    with subprocess.Popen(words, **more) as process:
        try:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (math.ceil(cpu_s), math.ceil(cpu_s) + 1))
        except ProcessLookupError:
            pass # the process has ended
        try:
            out, err = process.communicate(timeout=10.0 * cpu_s + 60.0)
        except BaseException:
            process.kill()
            raise
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise subprocess.TimeoutExpired(words, cpu_s, out, err)
    return subprocess.CompletedProcess(words, process.returncode, out, err)
