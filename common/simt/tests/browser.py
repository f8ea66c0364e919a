"""Controls a headless Chromium through chromedriver and the WebDriver protocol. Needs only Python's
standard library."""
import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

KEYS = {"Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "End": "\ue010",
        "Home": "\ue011", "PageUp": "\ue00e", "PageDown": "\ue00f", "Enter": "\ue007", "Escape": "\ue00c",
        "Shift": "\ue008"}


def missing():
    """The reason why no browser is available, or None."""
    if not shutil.which("chromedriver"):
        return "chromedriver is not installed (Debian: chromium-driver)"
    if not (shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")):
        return "Chromium is not installed (Debian: chromium)"
    return None


class Browser:
    def __init__(self, width=1280, height=900, dark=False):
        self.folder = tempfile.mkdtemp(prefix="browser.")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", "--port=%d" % self.port],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = None
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--user-data-dir=" + self.folder,
                     "--window-size=%d,%d" % (width, height)]
        if dark:
            arguments.append("--force-dark-mode")
        binary = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
        options = {"args": arguments, "binary": binary}
        capabilities = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                        "goog:loggingPrefs": {"browser": "ALL"}}}
        for _ in range(100):
            try:
                self.session = self.call("POST", "", {"capabilities": capabilities})["sessionId"]
                break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        if self.session is None:
            self.close()
            raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        address = "http://127.0.0.1:%d/session%s%s" % (
            self.port, "/" + self.session if self.session else "", path)
        request = urllib.request.Request(address, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Runs the script in the page and returns its result."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def settled(self):
        """Waits until the browser has drawn the next frame."""
        self.call("POST", "/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)));", "args": []})

    def press(self, *names):
        for name in names:
            key = KEYS.get(name, name)
            actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
            self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})
        self.settled()

    def find(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.call("POST", "/element/%s/click" % self.find(selector), {})
        self.settled()

    def type(self, selector, text):
        self.call("POST", "/element/%s/value" % self.find(selector), {"text": text})

    def touch(self, x, y):
        """Taps a point of the window with a finger."""
        actions = [{"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0},
                   {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"},
                                                     "actions": actions}]})
        self.settled()

    def resize(self, width, height):
        """Sets the viewport size. A real window has a minimum width, this has none."""
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}})
        self.settled()

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """Returns the console's warnings and errors since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        except (RuntimeError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def address_of(path):
    return "file://" + os.path.abspath(path)
