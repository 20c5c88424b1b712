import pytest

from tests.support.rules import for_each


@for_each("number", [1, 2, 3, 4], ids=lambda number: f"no. {number}")
def is_odd(number: int) -> None:
    assert number % 2 == 1


@for_each(("word", "length"), [("a", 1), ("bb", 2), ("ccc", 9)])
def is_as_long(word: str, length: int) -> None:
    assert len(word) == length


@for_each("tens", [10, 20])
@for_each("ones", [1, 2], ids=["one", "two"])
def is_less_than_22(tens: int, ones: int) -> None:
    assert tens + ones < 22


@for_each("code", [ValueError, KeyError])
def raises_value_error(code: type[Exception]) -> None:
    with pytest.raises(ValueError, match="odd"):
        raise code("odd")


@for_each("nothing", [])
def is_never_run(nothing: object) -> None:
    raise AssertionError


def test_a_rule_that_fails_lists_everything_that_breaks_it() -> None:
    with pytest.raises(AssertionError) as failure:
        is_odd()

    lines = str(failure.value).splitlines()
    assert lines[0] == "2 of 4 break this rule:"
    assert [line for line in lines if line.startswith("no. ")] == [
        "no. 2: AssertionError: assert (2 % 2) == 1",
        "no. 4: AssertionError: assert (4 % 2) == 1",
    ]


def test_a_rule_takes_several_values_at_once() -> None:
    with pytest.raises(AssertionError, match=r"1 of 3 break this rule:\nccc-9: AssertionError"):
        is_as_long()


def test_one_rule_within_another_runs_on_every_pair() -> None:
    with pytest.raises(
        AssertionError, match=r"1 of 2 break this rule:\n20: AssertionError: 1 of 2 break"
    ) as failure:
        is_less_than_22()

    assert "two: AssertionError" in str(failure.value)


def test_an_exception_breaks_a_rule() -> None:
    with pytest.raises(AssertionError, match="1 of 2 break this rule:\n<class 'KeyError'>: KeyError: 'odd'"):
        raises_value_error()


def test_a_rule_for_nothing_fails() -> None:
    with pytest.raises(AssertionError, match="There is nothing that this rule is for"):
        is_never_run()


@for_each("number", [1, 3])
def test_a_rule_takes_fixtures(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert tmp_path_factory.getbasetemp().is_dir()
    assert number % 2 == 1
