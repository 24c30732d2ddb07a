"""The bench of an installed package: `python tests/wheel_bench.py ACKLAB`, in a folder of no clone.

It serves its page to this machine alone; with Chromium and playwright, the page runs a scenario
there and has the numbers of the command. Imports nothing of acklab.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path

SCENARIO = "ack-aggregation"


def main(acklab: str) -> None:
    """Opens the bench, looks at it, and ends it."""
    words = [acklab, "bench", SCENARIO, "--no-open"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        address = process.stdout.readline().split()[-1]
        root = address.partition("#")[0]
        with urllib.request.urlopen(root) as answer:
            assert b"acklab" in answer.read()
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy, policy
        heard = listening(process.pid)
        assert heard is None or heard == [f"127.0.0.1:{root.split(':')[2].strip('/')}"], heard
        chromium = shutil.which("chromium")
        if chromium is None or find_spec("playwright") is None:
            print("the bench of the wheel serves its page; there is no Chromium to open it")
            return
        shown = goodput_shown(address, root, chromium)
        command = [acklab, "run", SCENARIO, "--seed", "1", "--json", "--out", "bench"]
        subprocess.run(command, check=True, capture_output=True)
        native = goodput_of(acklab)
        assert shown == round(native, 2), (shown, native)
        print(f"the bench of the wheel has {shown} Mbit/s in {chromium}, as `acklab run` has")
    finally:
        process.terminate()
        process.wait(20)


def listening(pid: int) -> list[str] | None:
    """Where a process listens; `None` where the system does not say."""
    folder = Path(f"/proc/{pid}/fd")
    if not folder.exists():
        return None
    open_now = {str(fd.readlink()) for fd in folder.iterdir() if fd.is_symlink()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            cells = line.split()
            if cells[3] == "0A" and f"socket:[{cells[9]}]" in open_now:
                host, port = cells[1].split(":")
                quad = (
                    ".".join(str(b) for b in reversed(bytes.fromhex(host)))
                    if len(host) == 8
                    else host
                )
                found.append(f"{quad}:{int(port, 16)}")
    return found


def goodput_shown(address: str, root: str, chromium: str) -> float:
    """The goodput on the page, which asks for nothing but itself."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tools:
        # As root, as in containers, Chromium starts without its sandbox only.
        args = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        browser = tools.chromium.launch(executable_path=chromium, args=args)
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda r: asked.append(r.url) if r.url.startswith("http") else None)
        page.goto(address)
        cell = page.locator("[data-metric='goodput'] .now")
        cell.wait_for(timeout=60_000)
        shown = float(re.sub(",", "", cell.inner_text()))
        browser.close()
    assert set(asked) <= {address, root, f"{root}favicon.ico"}, asked
    return shown


def goodput_of(acklab: str) -> float:
    """The goodput of the kept run, all flows together."""
    python = Path(acklab).with_name("python")
    program = "import acklab; print(acklab.open('bench').flows['goodput_mbps'].sum())"
    done = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


if __name__ == "__main__":
    main(sys.argv[1])
