"""What a turn costs us: CPU time of one turn through the endpoint backend, early and late in a conversation.

`python benchmarks/bench_transport.py [--rounds N]`. The server answers at once, in a process of its own; its time is not
counted. Tool results are 1,500 characters, as read_state's are. The named alternative is a bare urllib request with the
same body: what the same turn costs without our reading, rendering, classifying and recording.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.report import table, write_json
from benchmarks.servers import scripted_server
from nftbench.agents.openai_compat import OpenAICompatBackend
from nftbench.conversation import RequestWriter
from nftbench.tools.standard import STANDARD

TURNS = 60
RESULT = "x" * 1500


def conversation() -> RequestWriter:
    writer = RequestWriter([tool.entry() for tool in STANDARD])
    writer.append({"role": "system", "content": "s" * 2500})
    writer.append({"role": "user", "content": "u" * 300})
    return writer


def play(backend: OpenAICompatBackend) -> list[float]:
    """CPU seconds of each turn of one conversation."""
    writer, costs = conversation(), []
    for turn in range(1, TURNS + 1):
        request = writer.text()
        started = time.process_time()
        reply = json.loads(backend.complete(request))
        costs.append(time.process_time() - started)
        call = reply["tool_calls"][0]
        writer.append({"role": "assistant", "content": "", "tool_calls": [{**call, "id": f"call_{turn}"}]})
        writer.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": RESULT})
    return costs


def bare(url: str, size: int) -> float:
    """CPU seconds of one request of that many bytes through urllib alone, its reply parsed."""
    body = json.dumps({"messages": "x" * size}).encode()
    started = time.process_time()
    request = urllib.request.Request(
        f"{url}/v1/chat/completions", data=body, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        json.loads(response.read())
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    early, late, plain_early, plain_late = [], [], [], []
    with scripted_server(0.0, TURNS) as url, tempfile.TemporaryDirectory() as folder:
        for number in range(given.rounds + 1):
            backend = OpenAICompatBackend(url, "bench", events_path=Path(folder) / f"events-{number}.jsonl")
            costs = play(backend)
            if number == 0:
                continue  # warm-up
            early.append(statistics.median(costs[3:7]))
            late.append(statistics.median(costs[-5:]))
            plain_early.append(statistics.median(bare(url, 14_000) for _ in range(5)))
            plain_late.append(statistics.median(bare(url, 110_000) for _ in range(5)))
    figures = {
        "turn_5_cpu_ms": round(1000 * statistics.median(early), 3),
        "turn_60_cpu_ms": round(1000 * statistics.median(late), 3),
        "turn_5_to_bare_urllib": round(statistics.median(a / b for a, b in zip(early, plain_early, strict=True)), 2),
        "turn_60_to_bare_urllib": round(statistics.median(a / b for a, b in zip(late, plain_late, strict=True)), 2),
    }
    print(table(figures))
    write_json("transport", figures)


if __name__ == "__main__":
    main()
