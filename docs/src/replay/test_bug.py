from pathlib import Path

from ore.ext.replay import check_cassette


def test_the_answer_of_the_report() -> None:
    check_cassette(Path("report"))  # read as a whole and byte by byte
