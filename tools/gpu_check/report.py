"""The result file: what it holds, a check of that, and its summary for people."""

from __future__ import annotations

from typing import Any

SCHEMA = 1
STATUSES = {"passed", "failed", "timed out", "skipped"}
OUTCOMES = {"passed", "failed", "error", "crashed", "skipped", "xfailed", "not run"}
BAD = {"failed", "error", "crashed"}

# Key -> type, or for a list of objects a dict of its own.
_TEST = {"id": str, "outcome": str, "seconds": float, "message": str, "file": str}
_STAGE = {"name": str, "status": str, "note": str, "seconds": float, "limit": float}
_BENCHMARK = {
    "kind": str,  # bandwidth or launch
    "name": str,
    "dtype": str,
    "elements": int,
    "columns": int,  # 0: no rows
    "bytes": int,  # read and written
    "rounds": int,
    "median_us": dict,  # contestant -> microseconds; ours is one of them
    "ratios": dict,  # contestant -> its time over ours: above 1 ours is faster
    "gb_per_second": float,  # of ours
}
SHAPE: dict[str, Any] = {
    "schema": int,
    "device": str,
    "started": str,
    "seconds": float,
    "machine": dict,
    "versions": dict,
    "missing": [str],
    "absent": [str],
    "stages": [_STAGE],
    "counts": dict,
    "tests": [_TEST],
    "benchmarks": [_BENCHMARK],
}


def _wrong(value: Any, shape: Any, where: str) -> list[str]:
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{where}: expected an object, got {type(value).__name__}"]
        found = [f"{where}: no {key}" for key in shape.keys() - value.keys()]
        found += [f"{where}: unknown {key}" for key in value.keys() - shape.keys()]
        for key in shape.keys() & value.keys():
            found += _wrong(value[key], shape[key], f"{where}.{key}")
        return found
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{where}: expected a list, got {type(value).__name__}"]
        return [w for i, each in enumerate(value) for w in _wrong(each, shape[0], f"{where}[{i}]")]
    kinds = (int, float) if shape is float else (shape,)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return [f"{where}: expected {shape.__name__}, got {value!r}"]
    return []


def problems(result: Any) -> list[str]:
    """What is wrong with a result; empty where it is as described."""
    found = _wrong(result, SHAPE, "result")
    if found:
        return sorted(found)
    if result["schema"] != SCHEMA:
        found.append(f"result.schema: expected {SCHEMA}, got {result['schema']}")
    for each in result["stages"]:
        if each["status"] not in STATUSES:
            found.append(f"stage {each['name']}: unknown status {each['status']!r}")
    for each in result["tests"]:
        if each["outcome"] not in OUTCOMES:
            found.append(f"test {each['id']}: unknown outcome {each['outcome']!r}")
    for each in result["benchmarks"]:
        if "ours" not in each["median_us"] or "ours" in each["ratios"]:
            found.append(f"benchmark {each['name']}: ours belongs into median_us alone")
        times = [*each["median_us"].values(), *each["ratios"].values()]
        if not all(isinstance(one, int | float) and one > 0 for one in times):
            found.append(f"benchmark {each['name']}: times must be above 0")
    if result["counts"] != counts(result["tests"]):
        found.append("result.counts: they are not those of the tests")
    return found


def counts(tests: list[dict[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in tests:
        found[each["outcome"]] = found.get(each["outcome"], 0) + 1
    return dict(sorted(found.items()))


def exit_status(result: dict[str, Any]) -> int:
    """0: all ran and passed. 1: something failed. 3: nothing failed, and not all had time."""
    statuses = {each["status"] for each in result["stages"]}
    if "failed" in statuses or BAD & result["counts"].keys():
        return 1
    return 3 if statuses & {"timed out", "skipped"} else 0


def _bandwidths(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    peers = list(dict.fromkeys(name for row in rows for name in row["ratios"]))
    titles = "".join(f"{name:>10}" for name in peers)
    lines = ["", "Times over ours (above 1: ours is faster), and the bandwidth of ours"]
    lines.append(f"{'':40}{titles}{'ours us':>12}{'GB/s':>8}")
    for row in rows:
        columns = f" x {row['columns']}" if row["columns"] else ""
        shape = row["elements"] // max(1, row["columns"])
        title = f"{row['name']} {row['dtype']} {shape}{columns}"
        found = [row["ratios"].get(name) for name in peers]
        ratios = "".join(f"{each:10.2f}" if each else f"{'-':>10}" for each in found)
        time = f"{row['median_us']['ours']:12.1f}"
        lines.append(f"{title:40}{ratios}{time}{row['gb_per_second']:8.0f}")
    return lines


def _launches(rows: list[dict[str, Any]]) -> list[str]:
    lines = [] if not rows else ["", "Microseconds that a call takes of the CPU"]
    for row in rows:
        times = ", ".join(f"{name} {us:.2f}" for name, us in row["median_us"].items())
        lines.append(f"  {row['name']}: {times}")
    return lines


def summary(result: dict[str, Any]) -> str:
    machine, versions = result["machine"], result["versions"]
    where = machine.get("gpu", f"no GPU: {result['device']} in its place")
    lines = [
        f"mytriton on {where}, {result['started']}",
        ", ".join(
            f"{name} {versions[name]}"
            for name in ("python", "torch", "driver", "triton", "commit")
            if versions.get(name)
        ),
        f"NVRTC: {versions.get('nvrtc') or versions.get('nvrtc_files') or 'none'}",
        "",
    ]
    lines += [f"missing: {each}" for each in result["missing"]]
    lines += [f"absent: {each}" for each in result["absent"]]
    for each in result["stages"]:
        note = each["note"].splitlines()
        first = note[0] if note else ""
        lines.append(f"{each['name']:12} {each['status']:10} {each['seconds']:6.1f} s  {first}")
        if each["status"] == "failed":
            lines += [f"    {line}" for line in note[1:]]
    shown = [each for each in result["tests"] if each["outcome"] in BAD]
    if shown:
        lines += ["", f"{len(shown)} tests failed:"]
        for each in shown:
            text = each["message"].strip().splitlines()
            last = next((line for line in reversed(text) if line.startswith("E ")), "")
            lines += [f"  {each['outcome']}: {each['id']}", f"      {last or (text or [''])[-1]}"]
    reasons: dict[str, int] = {}
    for each in result["tests"]:
        if each["outcome"] in ("skipped", "not run"):
            reason = f"{each['outcome']}: {each['message'] or 'no reason given'}"
            reasons[reason] = reasons.get(reason, 0) + 1
    lines += [f"{count} tests {reason}" for reason, count in reasons.items()]
    lines += _bandwidths([each for each in result["benchmarks"] if each["kind"] == "bandwidth"])
    lines += _launches([each for each in result["benchmarks"] if each["kind"] == "launch"])
    seconds = f"{result['seconds']:.0f} s"
    words = {0: "all passed", 1: "something failed", 3: "nothing failed, but not all was run"}
    lines += ["", f"{words[exit_status(result)]}, in {seconds}"]
    return "\n".join(lines) + "\n"
