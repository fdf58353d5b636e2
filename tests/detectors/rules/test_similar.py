"""Nearly the same: reworded calls, one answer to everything, gestures, the breaker."""

from loopwatch.detectors.finding import Level
from loopwatch.detectors.rules.breaker import Breaker
from loopwatch.detectors.rules.gestures import SameGesture
from loopwatch.detectors.rules.similar import SameAnswer, SimilarCalls
from loopwatch.detectors.sameness import Sameness
from tests.detectors.build import act, observe
from tests.detectors.driving import drive, fact
from tests.detectors.running import placed

QUERIES = [
    "free berth api",
    "berth api free",
    "api for free berths",
    "free berths api",
    "free berth rest api",
    "rest api for free berths",
]
HITS = '{"results": [{"title": "Berth model", "score": 0.7%d}, {"title": "Tide service overview", "score": 0.6}]}'


def seen(rule, *script):
    return [(finding.step, finding.count) for finding in observe(rule, placed(*script), Sameness())]


def similar(**settings) -> SimilarCalls:
    return SimilarCalls(SimilarCalls.Settings(**settings))


def same_answer(**settings) -> SameAnswer:
    return SameAnswer(SameAnswer.Settings(**settings))


def gesture(**settings) -> SameGesture:
    return SameGesture(SameGesture.Settings(**settings))


def breaker(**settings) -> Breaker:
    return Breaker(Breaker.Settings(**settings))


def test_a_reworded_search_with_nearly_equal_hits_warns_at_six():
    """M23."""
    assert seen(similar(), *[act("docs_search", {"query": query}, HITS % n) for n, query in enumerate(QUERIES)]) == [
        (5, 6)
    ]


def test_sibling_files_that_look_alike_are_distinct_targets():
    """F27: long shared path prefixes."""
    reads = [act("read_file", {"path": f"src/very/long/prefix/part_{n}.py"}, HITS % n) for n in range(9)]

    assert not seen(similar(), *reads)


def test_the_same_call_with_a_moving_answer_is_progress():
    """H02: a log that grows."""
    assert not seen(similar(), *[act("docs_search", {"query": "log"}, HITS % n) for n in range(9)])


def test_one_long_answer_to_six_questions_warns():
    """M8, M36."""
    page = "the very same page " * 10

    assert seen(same_answer(), *[act("lookup", {"name": f"n{n}"}, page) for n in range(6)]) == [(5, 6)]


def test_short_answers_say_little():
    """N04: membership checks."""
    assert not seen(same_answer(), *[act("lookup", {"name": f"n{n}"}, "[]") for n in range(7)])
    assert not seen(same_answer(), *[act("run_command", {"command": f"ssh h{n} up"}, "active") for n in range(30)])


def test_a_click_that_leaves_the_page_much_as_it_was_warns_at_four():
    pages = [f"Forum home. New posts, search, {n} minutes ago. English only. Log in, register, help." for n in range(4)]

    assert seen(gesture(), *[act("web_click", {"on": "Spanish"}, page) for page in pages]) == [(3, 4)]


def test_paging_is_no_gesture_without_effect():
    pages = [f"Results, page {n}: " + " ".join(f"hit{n}{m}" for m in range(20)) + ". Next." for n in range(8)]

    assert not seen(gesture(), *[act("web_click", {"on": "next"}, page) for page in pages])


def test_the_breaker_adds_up_calls_without_progress_and_stops_at_its_limit():
    """B5."""
    said = drive(breaker(limit=10), *[fact(f"call {n % 4}", f"result {n % 4}") for n in range(15)])

    assert [(finding.step, finding.count, finding.final) for finding in said] == [(13, 10, True), (14, 11, False)]
    assert said[0].level is Level.CRITICAL
    assert said[0].response == "stop"


def test_news_takes_points_off_where_the_breaker_forgives():
    script = [step for n in range(60) for step in (fact("status", "clean"), fact(f"read {n}", f"text {n}"))]

    assert drive(breaker(limit=10), *script)
    assert not drive(breaker(limit=10, forgive=1), *script)


def test_one_list_of_hits_in_another_order_and_with_other_scores_is_the_same():
    """M23: word order of the query does not matter either."""
    titles = [
        "Nested data in columns, explained",
        "Reading tips for slow columns",
        "Reference of the reader",
        "Struct columns considered",
    ]
    script = [
        act("web_search", {"q": query}, "\n".join(f"0.{n}{m} {title}" for m, title in enumerate(titles[n % 2 :])))
        for n, query in enumerate(QUERIES)
    ]

    assert seen(similar(), *script) == [(5, 6)]


def test_one_address_after_the_other_is_looked_at_without_a_scheme_too():
    """F27."""
    script = [act("bash", {"command": f"curl -s localhost:8080/api/meters/{40 + n}"}, HITS % n) for n in range(9)]

    assert not seen(similar(), *script)


def test_a_dozen_names_that_are_all_unknown_are_no_loop():
    """F19."""
    script = [act("mcp__pg__query", {"sql": f"select 1 from retired where name='v{n}'"}, "[]") for n in range(15)]

    assert not seen(same_answer(), *script)


def test_a_program_that_measures_prints_other_figures_each_time():
    """A benchmark under one setting after the other."""
    shown = "drain  time: [%d.123 ms]  median over one hundred samples of the pump loop on this machine, release build"
    script = [act("bash", {"command": f"THREADS={2**n} ./bench drain"}, shown % (80 - n)) for n in range(9)]

    assert not seen(similar(), *script)
