"""Which inputs differ between two runs."""

from __future__ import annotations

from dataclasses import replace

from benchmark.readings.changes import Stand, changes, unknown

STAND = Stand(
    "a" * 64,
    40,
    {"k": 5, "chunker": "recursive", "chunker.size": 200, "generator": "echo", "judge": "local"},
    [{"packages": {"numpy": "1.26"}, "prompts": {"answer.es.txt": "1f"}, "code": "c0", "machine": {"cpus": 2}}],
)


def said(after: Stand) -> list[str]:
    return [f"{change.input}: {change}" for change in changes(STAND, after)]


def test_equal_stands_have_no_change() -> None:
    assert said(STAND) == []


def test_each_input_is_told_by_its_name() -> None:
    knobs = {"k": 3, "chunker": "sentence", "generator": "gpt", "judge": "none"}
    times = [{"packages": {"numpy": "2.0"}, "prompts": {"answer.es.txt": "2e"}, "code": "c1", "machine": {"cpus": 8}}]
    assert said(Stand("b" * 64, 10, knobs, times)) == [
        "corpus: digest: aaaaaaaaaaaa -> bbbbbbbbbbbb",
        "questions: asked: 40 -> 10",
        "chunker: chunker: recursive -> sentence",
        "chunker: chunker.size: 200 -> (none)",
        "prompt: answer.es.txt: 1f -> 2e",
        "model: generator: echo -> gpt",
        "judge: judge: local -> none",
        "library: numpy: 1.26 -> 2.0",
        "knob: k: 5 -> 3",
        "code: code: c0 -> c1",
        "machine: cpus: 2 -> 8",
    ]


def test_a_knob_that_repeats_another_is_told_once() -> None:
    one, two = ({**STAND.knobs, "chunker.size": size, "architecture.chunker.size": size} for size in (200, 400))
    assert [str(change) for change in changes(replace(STAND, knobs=one), replace(STAND, knobs=two))] == [
        "chunker.size: 200 -> 400"
    ]


def test_a_run_that_was_asked_under_two_versions_shows_both() -> None:
    times = [*STAND.environments, {**STAND.environments[0], "packages": {"numpy": "2.0"}}]
    assert said(replace(STAND, environments=times)) == ["library: numpy: 1.26 -> 1.26 and 2.0"]


def test_what_was_not_kept_is_unknown_and_no_change() -> None:
    bare = replace(STAND, environments=[])
    assert (said(bare), unknown(STAND, bare)) == ([], ("packages", "prompts", "code"))
    assert unknown(STAND, STAND) == ()
