"""An agent file may name several models."""

from pathlib import Path

from cli.command import delta, ore, script


def test_the_second_model_of_an_agent_file_answers_for_the_first(tmp_path: Path) -> None:
    full = script(tmp_path, [delta("He"), {"error": "overloaded"}], name="full.json")
    fine = script(tmp_path, [delta("Hello!")], name="fine.json")
    (tmp_path / "two.py").write_text(f"from ore import Agent\nagent = Agent([{full!r}, {fine!r}])\n")
    done = ore("run", "--agent", "two:agent", "--store", "memory:", "hi", folder=tmp_path)
    assert (done.status, done.out) == (0, "Hello!\n")
    assert "overloaded" in done.err and "the answer begins again" in done.err
