from pmtui.ui.command_line.history import MOST, CommandHistory


def test_a_walk_goes_back_and_comes_home_to_what_was_typed() -> None:
    history = CommandHistory()
    for text in ("sell all", "cancel bids", " sell all ", ""):
        history.keep(text)
    walk = history.begin("bu")
    assert [walk.older(), walk.older(), walk.older()] == ["sell all", "cancel bids", "cancel bids"]
    assert [walk.newer(), walk.newer(), walk.newer()] == ["sell all", "bu", "bu"]


def test_only_so_many_are_kept() -> None:
    history = CommandHistory()
    for number in range(MOST + 5):
        history.keep(f"buy {number} 40")
    walk = history.begin("")
    assert [walk.older() for _ in range(MOST + 1)][-1] == "buy 5 40"
