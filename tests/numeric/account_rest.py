"""The error account of a chain at rest that starts late.

    account_rest.py WRSIM

A source drives the first of N ladders after some windows. Until then all values and errors are 0, and the account omits the subsystems.
With start values of TINY no error is 0, so the account omits no subsystem. The errors of both runs must agree within FACTOR. The error to
find: a subsystem whose input error becomes nonzero stays omitted, and the account reports less.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../harness"))
import runs

N, WINDOW, TINY, FACTOR = 4, 0.01, 1e-250, 1.5
SOURCES = {"signal.sine": "amplitude = 0.1, frequency = 2.0, t_on = 0.053", "signal.step": "before = 0.0, after = 2.0, t_step = 0.044"}


def chain(source, start):
    text = f"[simulation]\nstop = 0.3\ncommunication_step = {WINDOW}\nrtol = 1e-5\n[relaxation]\n" \
           f"window = {{ initial = {WINDOW}, max = {WINDOW}, control = \"fixed\" }}\n[solver]\nkind = \"bs32\"\n" \
           f"[[component]]\nname = \"source\"\nmodel = \"{source}\"\nparameters = {{ {SOURCES[source]} }}\n" \
           "[[connection]]\nfrom = \"source.y\"\nto = \"p0.u\"\n[[subsystem]]\nname = \"source\"\ncomponents = [\"source\"]\n"
    for i in range(N):
        text += f"[[component]]\nname = \"p{i}\"\nmodel = \"rc_ladder\"\nparameters = {{ n = 5, open_end = {int(i == N - 1)} }}\n" \
                f"start = {{ \"v[1]\" = {start!r} }}\n[[subsystem]]\nname = \"p{i}\"\ncomponents = [\"p{i}\"]\n"
    for i in range(N - 1):
        text += f"[[connection]]\nfrom = \"p{i}.v_last\"\nto = \"p{i + 1}.u\"\n[[connection]]\nfrom = \"p{i + 1}.v_first\"\nto = \"p{i}.v_right\"\n"
    return text


n_bad = 0
for source in SOURCES:
    for scheme in ("jacobi", "gauss_seidel"):
        rest, tiny = (runs.of_text(sys.argv[1], chain(source, start), "relaxation.scheme=" + scheme)[1]["error_account"]["error"]
                      for start in (0.0, TINY))
        is_bad = not (tiny > 1e-8 and 1.0 / FACTOR <= rest / tiny <= FACTOR)
        n_bad += is_bad
        print(f"{'BAD ' if is_bad else ''}{source}, {scheme}: at rest {rest:.3g}, with tiny values {tiny:.3g}")
sys.exit(n_bad > 0)
