#!/usr/bin/env python3
"""What the programs take of a machine: size on disk, start to ready, memory idle and under load. Never asserts a figure.

    cargo build --release -p edge -p sync-hub && tests/benches/footprint.py [FOLDER-OF-BINARIES]
"""

import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

STARTS = 9
IDLE_SECONDS = 15
LOAD_SECONDS = 30
CONNECTIONS = 16

root = pathlib.Path(__file__).resolve().parents[2]
target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
binaries = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else target / "release"


class Server:
    """A running server on a free loopback port; `ready_ms` is how long it took from its start to a good answer."""

    def __init__(self, program, data, *more):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # Nobody listening is an answer at once, so asking again costs next to nothing.
        arguments = [binaries / program, "serve", "--data-dir", data, "--listen", f"127.0.0.1:{self.port}", *more]
        begin = time.monotonic()
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "RUST_LOG": "warn"}
        )
        while not self.is_ready():
            if self.process.poll() is not None:
                sys.exit(f"{program} ended at its start")
            time.sleep(0.0005)
        self.ready_ms = 1000 * (time.monotonic() - begin)

    def is_ready(self):
        # By hand: urllib alone takes longer than the last of the start.
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as asking:
                asking.sendall(b"GET /ready HTTP/1.0\r\n\r\n")
                return b" 200 " in asking.recv(64)
        except OSError:
            return False

    def ask(self, path, token=None, body=None):
        headers = {"content-type": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1{path}", data, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def resident_mb(self, most=False):
        """Resident memory in megabytes, now or at the most so far."""
        wanted = "VmHWM:" if most else "VmRSS:"
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(wanted):
                return int(line.split()[1]) / 1000
        raise RuntimeError("the process is gone")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def starts(program, data):
    times = []
    for _ in range(STARTS):
        server = Server(program, data)
        times.append(server.ready_ms)
        server.stop()
    return f"{statistics.median(times):.0f} ms (of {STARTS}: {min(times):.0f} to {max(times):.0f})"


def trade(server):
    """Orders from several connections at once; answers how many were taken. A dish that sells out is refused and passed over."""
    who = {"email": "cashier@sample.test", "password": "tiffin-sample"}
    token = server.ask("/auth/login", body=who)["data"]["accessToken"]
    dishes = [dish for group in server.ask("/menu", token)["data"]["categories"] for dish in group["items"]]
    dishes = [dish for dish in dishes if not dish.get("modifierGroups")]
    until, counts = time.monotonic() + LOAD_SECONDS, []

    def till(first):
        taken = asked = 0
        while time.monotonic() < until:
            dish = dishes[(first + asked) % len(dishes)]
            line = {"menuItemId": dish["id"], "quantity": 1, "unitPriceCents": dish["priceCents"]}
            asked += 1
            try:
                server.ask("/orders", token, {"orderType": "COUNTER", "items": [line]})
                taken += 1
            except urllib.error.HTTPError as refusal:
                if refusal.code != 422:
                    raise
        counts.append(taken)

    tills = [threading.Thread(target=till, args=(n,)) for n in range(CONNECTIONS)]
    for one in tills:
        one.start()
    for one in tills:
        one.join()
    return sum(counts)


def main():
    for program in ("edge", "sync-hub"):
        size = (binaries / program).stat().st_size / 1e6
        print(f"{program}: {size:.0f} MB on disk")
    with tempfile.TemporaryDirectory(dir=target) as folder:
        data = pathlib.Path(folder) / "edge"
        subprocess.run([binaries / "edge", "init", "--data-dir", data, "--sample-data"], check=True, stdout=subprocess.DEVNULL)
        print("edge: start to ready", starts("edge", data))
        server = Server("edge", data, "--limit-general", "off")
        time.sleep(IDLE_SECONDS)
        print(f"edge: {server.resident_mb():.0f} MB resident, idle")
        orders = trade(server)
        print(
            f"edge: {server.resident_mb():.0f} MB resident after {orders} orders from {CONNECTIONS} tills in {LOAD_SECONDS} s, "
            f"{server.resident_mb(most=True):.0f} MB at the most"
        )
        server.stop()
        print("edge: start to ready with them", starts("edge", data))
        data = pathlib.Path(folder) / "hub"
        print("sync-hub: start to ready", starts("sync-hub", data))
        server = Server("sync-hub", data)
        time.sleep(IDLE_SECONDS)
        print(f"sync-hub: {server.resident_mb():.0f} MB resident, idle")
        server.stop()


main()
