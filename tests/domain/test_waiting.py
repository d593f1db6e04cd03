from pmtui.domain.health import Waiting


def test_the_last_in_line_has_the_others_ahead() -> None:
    assert str(Waiting("GET /book", 13, 2)) == "GET /book: waiting, 12 ahead"
    assert Waiting("GET /book", 1, 2).ahead == 0


def test_an_empty_line_is_free() -> None:
    assert str(Waiting("GET /book", 0, 0)) == "GET /book: free"
