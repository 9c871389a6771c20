"""A headless Chromium under control of a test, over the pipe of its DevTools protocol, without further packages.

    with Chromium() as browser:
        page = browser.open(path, width=400, height=900, dark=True)
        page.run("document.title")
        page.problems # errors of the console, and requests that are not the page itself
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

LIMIT_S = 120 # longest wait for an answer; ten times the time that a quiet machine needs for the slowest page


def program():
    """Returns the path of Chromium; None if the machine has none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
    def __enter__(self):
        # Chromium's helper processes may write after its end.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.at, from_write = os.pipe()
        # The protocol uses descriptors 3 and 4 of the browser.
        command = [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
                   "--user-data-dir=" + self.folder.name, "about:blank"]
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "sh", *command],
                                        pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.text, self.n, self.pages = b"", 0, {}
        return self

    def __exit__(self, *unused):
        self.call("Browser.close")
        self.process.wait()
        os.close(self.to)
        os.close(self.at)
        self.folder.cleanup()

    def read(self):
        """Returns the next message."""
        while b"\0" not in self.text:
            part = os.read(self.at, 1 << 20)
            if not part:
                raise AssertionError("Chromium has ended")
            self.text += part
        message, _, self.text = self.text.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """Calls a method of the protocol. Passes events to their pages, and returns the result."""
        self.n += 1
        message = {"id": self.n, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            answer = self.read()
            if answer.get("id") == self.n:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("sessionId") in self.pages:
                self.pages[answer["sessionId"]].see(answer["method"], answer["params"])
        raise AssertionError(f"{method}: no answer")

    def open(self, place, width=1280, height=900, dark=False):
        """Opens a file or an address in a window of this size, and returns the page after its load."""
        return Page(self, place if "://" in str(place) else pathlib.Path(place).resolve().as_uri(), width, height, dark)


class Page:
    def __init__(self, browser, address, width, height, dark):
        self.browser, self.address, self.problems, self.is_loaded = browser, address, [], False
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.set_dark(dark)
        self.call("Page.navigate", url=address)
        end = time.monotonic() + LIMIT_S
        while not self.is_loaded:
            self.run("0")
            if time.monotonic() > end:
                raise AssertionError(f"{address} does not load")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def set_dark(self, dark):
        """Changes the colours of the system. A loaded page sees the change within two frames."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if self.is_loaded:
            self.call("Page.bringToFront") # a hidden page draws no frame
            self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def see(self, method, parameters):
        """Notes the end of the load, errors, and requests."""
        if method == "Page.loadEventFired":
            self.is_loaded = True
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(str(parameters["args"]))
        elif method == "Network.requestWillBeSent" and parameters["request"]["url"] != self.address:
            self.problems.append("request: " + parameters["request"]["url"][:200])

    def run(self, script):
        """Returns the value of a JavaScript expression; of a promise, its result."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{script}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def key(self, name):
        """Presses a key, such as "ArrowRight" or "+"."""
        text = {"text": name} if len(name) == 1 else {}
        codes = {"ArrowLeft": 37, "ArrowRight": 39, "Tab": 9, "Home": 36, "End": 35}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=codes.get(name, 0), **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)

    def move(self, x, y, button="none", kind="mouseMoved"):
        """Moves the mouse, pixels of the window."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1 if button != "none" else 0)

    def picture(self, path, is_whole=True):
        """Writes a picture of the window, or of the whole page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
