"""Arguments that are new on every call and mean nothing."""

from loopwatch.detectors.rules.nonces import Nonce
from tests.detectors.build import act, steps_of, watch


def rule(**settings) -> Nonce:
    return Nonce(Nonce.Settings(**settings))


def ask(n, result="[]", **arguments):
    return act("mcp_query", {"q": "x", "request_id": f"r{n}"} | arguments, result)


def test_the_same_call_but_for_a_request_id_is_seen_and_named():
    """L11."""
    said = watch(rule(warn=4), *[ask(n) for n in range(7)])

    assert steps_of(said) == [3, 4, 5, 6]
    assert "“request_id”" in said[0].message
    assert "argument “request_id” changes every time" in said[0].equal_because


def test_a_value_that_looks_random_is_a_nonce_whatever_its_name():
    script = [act("render", {"page": "home", "k": f"{n:x}9f3c2ab41d07e6"}, "500 template error") for n in range(6)]

    assert watch(rule(), *script)


def test_a_tool_that_is_merely_called_run_is_no_shell():
    assert watch(
        rule(), *[act("mcp__deploy__run", {"env": "prod", "attempt": n}, '{"state": "refused"}') for n in range(6)]
    )


def test_a_nonce_in_the_query_of_a_url_is_seen_in_tools_and_shells():
    fetched = [act("fetch", {"url": f"https://api/x?id=7&_={1712000000000 + n}"}, "not ready") for n in range(6)]
    curled = [act("bash", {"command": f"curl -s 'https://api/x?id=7&nonce=n{n}'"}, "not ready") for n in range(6)]

    assert watch(rule(), *fetched)
    assert watch(rule(), *curled)


def test_walking_through_the_pages_of_a_url_is_silent():
    assert not watch(rule(), *[act("fetch", {"url": f"https://api/x?q=a&page={n}"}, "empty page") for n in range(12)])


def test_a_long_text_that_changes_is_no_nonce():
    script = [act("run_query", {"db": "main", "sql": f"select {n} " + "x " * 60}, "no rows") for n in range(12)]

    assert not watch(rule(), *script)


def test_look_ups_of_one_name_after_the_other_are_silent():
    """N04, F19."""
    assert not watch(rule(), *[act("lookup", {"index": "users", "name": f"name{n}"}, "[]") for n in range(12)])


def test_walking_on_with_a_cursor_is_silent_even_over_empty_pages():
    script = [act("list", {"project": "p", "cursor": f"{n:x}5f6ceff3a1b2c"}, '{"items": []}') for n in range(12)]

    assert not watch(rule(), *script)


def test_a_result_that_changes_is_progress():
    assert not watch(rule(), *[ask(n, f"[{n}]") for n in range(12)])


def test_another_argument_that_changes_begins_anew():
    assert not watch(rule(), *[ask(n, q=f"x{n // 3}") for n in range(12)])


def test_a_nonce_that_comes_again_is_none():
    assert not watch(rule(), *[ask(n % 2) for n in range(12)])
