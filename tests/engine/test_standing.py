"""What stays in force after a decision, and which findings are about one loop."""

from loopwatch.detectors.finding import Finding, Level
from loopwatch.engine.standing import Block, Raised, Standing, loops


def raised(rule="failing_call", *steps, level=Level.WARN, key="k", agent="main", calls=()):
    finding = Finding(
        rule=rule,
        level=level,
        step=max(steps, default=0),
        steps=steps,
        count=len(steps),
        threshold=3,
        message="m",
        key=key,
        response="remind",
        agent=agent,
    )
    return Raised(finding=finding, event=None, facts=None, calls=frozenset(calls))


def test_findings_that_share_half_their_proof_are_one_loop_and_the_worst_speaks():
    mild, worse = raised("a", 1, 2, 3), raised("b", 2, 3, level=Level.STRONG)

    assert loops([mild, worse]) == [worse]
    assert loops([worse, mild]) == [worse]


def test_findings_that_share_little_are_different_loops():
    one, other = raised("a", 1, 2, 3, 4), raised("b", 4, 5, 6)

    assert loops([one, other]) == [one, other]
    assert len(loops([raised("a", 1, 2), raised("b", 1, 2, agent="sub")])) == 2


def test_of_one_rule_and_key_the_newest_speaks():
    older, newer = raised("a", 1, 2, 3), raised("a", 1, 2, 3, 4)

    assert loops([older, newer]) == [newer]


def test_another_rule_that_repeats_what_was_just_settled_is_settled_too():
    standing = Standing()
    standing.answered(raised("reversal", 1, 3, 5, 7), step=7)

    assert standing.settled(raised("cycle", 1, 3, 5, 7, 8))
    assert not standing.settled(raised("cycle", 1, 3, 5, 7, 8, level=Level.STRONG)), "it got worse"
    assert not standing.settled(raised("cycle", 5, 7, 8, 9, 10)), "it rests on fresh evidence"
    assert not standing.settled(raised("reversal", 1, 3, 5, 7, 8)), "a rule may insist"
    assert not standing.settled(raised("cycle", 20, 21)), "it is another loop"

    standing.forget()
    assert not standing.settled(raised("cycle", 1, 3, 5, 7, 8))


def test_a_block_holds_for_its_agent_and_its_calls_once_and_in_time():
    standing = Standing()
    standing.block(Block(frozenset({"x", "y"}), "no", "s1", "r", "main", until=10))

    assert standing.blocked("z", agent="main", step=1) is None
    assert standing.blocked("x", agent="sub", step=1) is None
    assert standing.blocked("", agent="main", step=1) is None
    assert standing.blocked("y", agent="main", step=1).suggestion == "s1"
    assert standing.blocked("x", agent="main", step=1) is None
    standing.block(Block(frozenset({"x"}), "no", "s2", "r", "main", until=10))
    assert standing.blocked("x", agent="main", step=10) is None
    assert not standing.blocks
