"""The Python module in a kernel of Jupyter: interrupt of a run, and HTML. Exit code 77 without the packages ipykernel and jupyter_client.

    run_notebook.py MODULE_FOLDER SOURCE_ROOT
"""
import os
import sys
import tempfile

try:
    import ipykernel # pylint: disable=unused-import
    from jupyter_client import KernelManager
except ImportError:
    sys.exit(77)

CELLS = {
    "run": "import wrsim\n"
           "sim = wrsim.Simulation(config, {'simulation.stop': 1e6}, output='a.csv')\n"
           "sim.on_progress(lambda progress: print('running', flush=True) if progress.n_window == 20 else None)\n"
           "sim.run()",
    "rows": "result = sim.result()\nassert len(result.time) > 10 and result.time[-1] < 1e6, result\nprint('rows')",
    "html": "result",
    "whole": "wrsim.run(config, {'simulation.stop': 1e6}, output='b.csv', "
             "on_progress=lambda progress: print('running', flush=True) if progress.n_window == 20 else None)",
    "kept": "import sys\nassert len(sys.last_value.result.time) > 10\nprint('kept')",
}


def execute(client, code, on_text=lambda text: None):
    """Runs a cell. Returns its error ("" if none), its text and its HTML."""
    client.execute(code)
    error, text, page = "", "", ""
    while True:
        message = client.get_iopub_msg(timeout=300)
        content = message["content"]
        if message["msg_type"] == "stream":
            text += content["text"]
            on_text(text)
        elif message["msg_type"] == "error":
            error = content["ename"]
        elif message["msg_type"] == "execute_result":
            page = content["data"].get("text/html", "")
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            return error, text, page


def check(client, kernel, config):
    """Raises AssertionError if a cell does not do what it should."""
    def interrupt(text):
        if text == "running\n":
            kernel.interrupt_kernel()

    def expect(name, wanted, found):
        assert found == wanted, f"cell {name}: {found}, expected {wanted}"

    execute(client, f"config = {config!r}")
    expect("run", "KeyboardInterrupt", execute(client, CELLS["run"], interrupt)[0])
    expect("rows", ("", "rows\n"), execute(client, CELLS["rows"])[:2])
    error, _, page = execute(client, CELLS["html"])
    expect("html", ("", True), (error, page.startswith("<p>") and "left.x" in page))
    expect("whole", "KeyboardInterrupt", execute(client, CELLS["whole"], interrupt)[0])
    expect("kept", ("", "kept\n"), execute(client, CELLS["kept"])[:2])


def main():
    module, source = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(PYTHONPATH=module, JUPYTER_RUNTIME_DIR=folder, IPYTHONDIR=folder, PYDEVD_DISABLE_FILE_VALIDATION="1")
        kernel = KernelManager(kernel_cmd=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
        kernel.start_kernel(cwd=folder)
        client = kernel.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=300)
            check(client, kernel, os.path.join(source, "models/two_mass/two_mass.toml"))
        finally:
            client.stop_channels()
            kernel.shutdown_kernel(now=True)


if __name__ == "__main__":
    main()
