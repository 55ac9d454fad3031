"""The pages of the documentation site that are made from the code and from the files at the top of the repository.

Each is Markdown text under its path in the site. Example prompts are drawn from suite seed 1, since figures are reported for seed
0, and without their ids.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nftbench.tasks import catalog
from nftbench.tasks.family import LADDER, SYNTHETIC, Rung, SubFamily
from nftbench.tools.standard import WITH_ORDER_BOOK
from nftbench.tools.toolbox import Tool

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE_SEED = 1
AT_THE_TOP = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository's top that are pages of the site."""

_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def pages() -> dict[str, str]:
    """Every page that is no file under docs/, by its path."""
    families, ladders = catalog.families(SYNTHETIC), catalog.families(LADDER)
    return {
        **{page: moved((ROOT / name).read_text("utf-8")) for name, page in AT_THE_TOP.items()},
        "tasks/index.md": overview(families, ladders),
        **{f"tasks/{name.lower()}.md": family_page(name, members) for name, members in families.items()},
        **{f"tasks/{name.lower()}.md": ladder_page(name, rungs) for name, rungs in ladders.items()},
        "tools-reference.md": tools_page(WITH_ORDER_BOOK),
        "decisions/index.md": decisions(sorted((ROOT / "docs/decisions").glob("*.md"))),
    }


def moved(text: str) -> str:
    """A file of the repository's top with its links as they are from the site's top. What is no page is told by its name."""

    def target(match: re.Match[str]) -> str:
        path = match[2]
        if "://" in path:
            return match[0]
        path = AT_THE_TOP.get(path, path.removeprefix("docs/"))
        return f"{match[1]}{'decisions/index.md' if path == 'decisions/' else path}{match[3]}"

    return _LINK.sub(target, text)


def overview(families: Mapping[str, Sequence[SubFamily]], ladders: Mapping[str, Sequence[SubFamily]]) -> str:
    """All families and sub-families in one table, and all ladders in another."""
    lines = [
        "# Tasks",
        "",
        f"Suite {catalog.SUITE_VERSION} has {len(catalog.instance_ids())} canonical instances in "
        f"{sum(map(len, families.values()))} sub-families. Each is a request in plain language and a "
        "world of contracts on a chain of its own. A quarter of them can't be done: such a one has a feasible twin, with the "
        "same request in a world that differs by one fact.",
        "",
        "Difficulty runs from T1 (one call) to T4 (others act while the agent does). `nftbench list` shows all instances, "
        "`nftbench show ID` one of them with its goals; both tell what an agent is never told.",
        "",
        "| family | sub-family | cases | difficulty |",
        "|---|---|---|---|",
    ]
    for name, members in families.items():
        for sub_family in members:
            link = f"[{name} {catalog.FAMILIES[name]}]({name.lower()}.md)"
            lines.append(f"| {link} | {headed(sub_family)} | {len(sub_family.cases)} | {difficulties(sub_family)} |")
    if ladders:
        lines += ["", "Beside them there are [ladders](../ladders.md), whose work doubles from rung to rung:", ""]
        lines += ["| ladder | sizes | instances |", "|---|---|---|"]
    for name, rungs in ladders.items():
        sizes = " ".join(str(rung.size) for rung in rungs_of(rungs))
        link = f"[{name} {catalog.FAMILIES[name]}]({name.lower()}.md)"
        lines.append(f"| {link} | {sizes} | {sum(len(rung.cases) for rung in rungs)} |")
    return "\n".join(lines) + "\n"


def rungs_of(members: Sequence[SubFamily]) -> list[Rung]:
    return [member.rung for member in members if member.rung is not None]


def ladder_page(name: str, members: Sequence[SubFamily]) -> str:
    """One ladder: its rungs, and an example of a request of the lowest but one."""
    lines = [
        f"# {name} {catalog.FAMILIES[name]}",
        "",
        f"What it measures is told in [Ladders](../ladders.md). The example is drawn from suite seed {EXAMPLE_SEED}; figures are "
        "reported for seed 0, whose names, addresses, ids, amounts and times are others.",
        "",
        "| rung | size | cases | difficulty | turns |",
        "|---|---|---|---|---|",
    ]
    for member, rung in zip(members, rungs_of(members), strict=True):
        lines.append(f"| {member.name} | {rung.size} | {len(member.cases)} | {difficulties(member)} | {rung.turns} |")
    lines += ["", f"An agent was asked, for example, on rung {members[1].name}:", "", *quoted(example(members[1]))]
    return "\n".join(lines) + "\n"


def family_page(name: str, members: Sequence[SubFamily]) -> str:
    """One family: each sub-family with its size, its difficulty and an example of a request that can be carried out."""
    lines = [
        f"# {name} {catalog.FAMILIES[name]}",
        "",
        f"The example of each sub-family is drawn from suite seed {EXAMPLE_SEED}; figures are reported for seed 0, whose names, "
        "addresses, ids, amounts and times are others.",
    ]
    for sub_family in members:
        lines += ["", f"## {headed(sub_family)}", "", f"{len(sub_family.cases)} cases: {difficulties(sub_family)}."]
        lines += ["", "An agent was asked, for example:", "", *quoted(example(sub_family))]
    return "\n".join(lines) + "\n"


def headed(sub_family: SubFamily) -> str:
    return f"{sub_family.name} {escaped(sub_family.title)}"


def difficulties(sub_family: SubFamily) -> str:
    """How many cases there are of each difficulty."""
    counts = Counter(case.difficulty for case in sub_family.cases)
    return ", ".join(f"{counts[difficulty]} of {difficulty}" for difficulty in sorted(counts))


def example(sub_family: SubFamily) -> str:
    """The request of its first case that can be done."""
    number = next(number for number, case in enumerate(sub_family.cases, 1) if case.twin_of is None)
    return catalog.task(f"{sub_family.name}_{number:02d}", EXAMPLE_SEED).prompt


def quoted(text: str) -> Iterator[str]:
    """The text to the letter, as a quotation that Markdown does not read."""
    return (f"> {escaped(line)}" if line else ">" for line in text.splitlines())


def escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~-])", r"\\\1", text)


def tools_page(tools: Sequence[Tool]) -> str:
    """Every tool as an agent sees it: the words and the arguments of its schema."""
    lines = [
        "# Tool reference",
        "",
        "What an agent is told of each tool of the `standard` tool set, word for word. [The tools](tools.md) says what holds "
        "for all of them.",
    ]
    for tool in tools:
        entry = tool.entry()
        lines += ["", f"## `{tool.name}`", "", escaped(entry["description"])]
        properties, required = entry["parameters"]["properties"], set(entry["parameters"].get("required", ()))
        if properties:
            lines += ["", "| argument | type | needed | |", "|---|---|---|---|"]
            for name, schema in properties.items():
                needed = "yes" if name in required else "no"
                told = " ".join(escaped(schema.get("description", "")).split())
                lines.append(f"| `{name}` | {escaped(typed(schema))} | {needed} | {told} |")
        else:
            lines += ["", "It takes no arguments."]
    return "\n".join(lines) + "\n"


def typed(schema: Mapping[str, Any]) -> str:
    """The type of a JSON schema in words."""
    if "anyOf" in schema:
        return " or ".join(typed(each) for each in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(str(each) for each in schema["enum"])
    if schema.get("type") == "array":
        items = typed(schema.get("items", {}))
        return f"list of ({items})" if " or " in items else f"list of {items}"
    if schema.get("type") == "object" and schema.get("properties"):
        return "object of " + ", ".join(schema["properties"])
    return str(schema.get("type", "any value"))


def decisions(files: Sequence[Path]) -> str:
    """The list of the decisions, by their headings."""
    lines = ["# Why it is built so", ""]
    for file in files:
        title = file.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({file.name})")
    return "\n".join(lines) + "\n"
