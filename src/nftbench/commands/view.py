"""`nftbench view`: recorded runs as one HTML page to read, sort and step through; with --serve, a run that is still going."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from msgspec.structs import replace

from nftbench.errors import Refusal
from nftbench.records.store import PROGRESS, RESULT
from nftbench.report.document import report_on
from nftbench.report.page.build import page
from nftbench.report.page.packs import Attempt, packed
from nftbench.report.runs import Damaged, Run
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import Parser, whole
from nftbench.run.loading import load_runs, load_trajectory
from nftbench.run.selection import resolve
from nftbench.values import in_order

DEFAULT_PORT = 8765
LOOPBACK = "127.0.0.1"


def main(argv: Sequence[str]) -> int:
    """Write the page of the runs that the arguments name, or serve it."""
    flags = view_parser().read(argv)
    if flags is None:
        return 0
    paths = [Path(name) for name in flags.runs]
    if flags.serve:
        return serve(paths, flags.instances, flags.port)
    out = Path(flags.out) if flags.out else _usual(paths)
    text = built(paths, flags.instances)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise Refusal(f"--out {out} can't be written ({problem.strerror}): choose another file") from None
    Screen(sys.stdout).line(printable(f"{out} ({len(text) / 1e6:.1f} MB): open it in a browser"))
    return 0


def built(paths: Sequence[Path], instances: Sequence[str] | None, *, live: str | None = None) -> str:
    """The page over the runs in these folders; over some of their instances, if any are named."""
    runs = [_narrowed(run, instances) for run in load_runs(paths)]
    return page([report_on(run) for run in runs], packed(_attempts(runs, paths)), live=live)


def _narrowed(run: Run, instances: Sequence[str] | None) -> Run:
    if not instances:
        return run
    names = set(resolve(instances, run.record["selection"], tier=run.record["tier"]))
    results = tuple(result for result in run.results if result.instance_id in names)
    return replace(run, results=results, planned=len(names) * run.record["trials"])


def _attempts(runs: Sequence[Run], paths: Sequence[Path]) -> Iterator[list[Attempt]]:
    """The attempts of all runs, those at one instance together, read as they are asked for."""
    by_instance: dict[str, list[tuple[int, int]]] = {}
    for number, run in enumerate(runs):
        for place, result in enumerate(run.results):
            by_instance.setdefault(result.instance_id, []).append((number, place))
    for name in sorted(by_instance, key=in_order):
        group = []
        for number, place in by_instance[name]:
            result = runs[number].results[place]
            told = load_trajectory(paths[number], result.instance_id, result.trial)
            group.append(Attempt(number, result, told.reason if isinstance(told, Damaged) else told))
        yield group


def _usual(paths: Sequence[Path]) -> Path:
    """The file beside the first run, named after it."""
    first = paths[0].resolve()
    return first.parent / f"{first.name}{'' if len(paths) == 1 else f'-and-{len(paths) - 1}-more'}.html"


def stamp(paths: Sequence[Path]) -> tuple[str, int]:
    """What changes whenever an attempt is recorded, and how many there are."""
    files = [file for path in paths for file in [*path.glob(f"*/{RESULT}"), *path.glob(f"*/trial_*/{RESULT}")]]
    newest = max((file.stat().st_mtime_ns for file in files), default=0)
    going = sum((path / PROGRESS).stat().st_size for path in paths if (path / PROGRESS).exists())
    return f"{len(files)}-{newest}-{going > 0}", len(files)


def serve(paths: Sequence[Path], instances: Sequence[str] | None, port: int) -> int:
    """Serve the page on this machine alone until Ctrl-C; it is made anew when the run has new results."""
    load_runs(paths)
    out = Screen(sys.stdout)
    try:
        server = ThreadingHTTPServer((LOOPBACK, port), handler_for(paths, instances))
    except OSError as problem:
        raise Refusal(f"--port {port} can't be had ({problem.strerror}): choose another") from None
    out.line(f"http://{LOOPBACK}:{server.server_address[1]}/ shows the run as it goes; Ctrl-C ends this")
    with server, suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def handler_for(paths: Sequence[Path], instances: Sequence[str] | None) -> type[BaseHTTPRequestHandler]:
    """What answers: the page at /, and /state for pages that ask whether there is news."""

    class Handler(BaseHTTPRequestHandler):
        """One request. Hosts other than this machine's own names are refused, so that no other site's page can read a run."""

        def do_GET(self) -> None:
            host = (self.headers.get("Host") or "").rpartition(":")[0]
            if host not in (LOOPBACK, "localhost"):
                self._answer(HTTPStatus.FORBIDDEN, "text/plain", b"only for this machine")
            elif self.path == "/state":
                now, done = stamp(paths)
                self._answer(HTTPStatus.OK, "application/json", json.dumps({"stamp": now, "done": done}).encode())
            elif self.path == "/":
                try:
                    text = built(paths, instances, live=stamp(paths)[0])
                except Refusal as refusal:
                    self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", printable(str(refusal), 2000).encode())
                    return
                self._answer(HTTPStatus.OK, "text/html; charset=utf-8", text.encode("utf-8"))
            else:
                self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"there is only /")

        def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the terminal is for the person who reads."""

    return Handler


def view_parser() -> Parser:
    parser = Parser(
        prog="nftbench view",
        description="Recorded runs as one HTML page: figures and charts, a table of attempts to filter and sort, and each "
        "trajectory step by step. The page opens from disk and needs no network.",
        epilog="Whatever models and contracts wrote is shown as text and can't run.",
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the folder of a run; several go into one page")
    parser.add_argument("--out", metavar="FILE", help="the page (default: beside the first run, named after it)")
    parser.add_argument("--instances", action="append", metavar="NAMES", help="ids and globs: only these instances")
    parser.add_argument(
        "--serve", action="store_true", help=f"serve the page on {LOOPBACK} and follow a run that is going"
    )
    parser.add_argument(
        "--port",
        type=whole(0, 65_535),
        default=DEFAULT_PORT,
        metavar="N",
        help="for --serve (default: %(default)s; 0: any free)",
    )
    return parser
