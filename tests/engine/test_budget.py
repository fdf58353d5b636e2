"""The gauges."""

import pytest

from loopwatch.engine import events
from loopwatch.engine.budget import Meters, Prices, estimated_tokens


def used(*what, prices=None, clock=lambda: 20.0):
    meters = Meters(prices=prices or Prices(), clock=clock)
    for event in what:
        meters.take(event)
    return meters


def test_tokens_add_up_and_one_estimate_is_told():
    reading = used(
        events.RunStarted(model="m").model_copy(update={"time": 5.0}),
        events.UsageReported(turn=1, input=3000, output=100, cached=2000, reasoning=50),
        events.UsageReported(turn=2, input=10, output=5),
        events.UsageReported(turn=2, input=10, output=5, estimated=True),
    ).reading(no_progress=4)

    assert (reading.input_tokens, reading.output_tokens, reading.cached_tokens) == (3020, 110, 2000)
    assert reading.recent_tokens == (3100, 30)
    assert reading.estimated
    assert (reading.tokens, reading.no_progress, reading.seconds) == (3130, 4, 15.0)


def test_answers_that_hit_the_cap_are_counted_until_one_does_not():
    """B8."""
    finish = [
        events.Finished(turn=turn, reason=reason) for turn, reason in enumerate(["length", "stop", "length", "length"])
    ]

    assert used(*finish).reading().cut_off == 2


def test_an_ended_run_has_no_running_clock():
    ended = events.RunEnded(reason=events.EndReason.DONE).model_copy(update={"time": 9.0})

    assert used(events.RunStarted().model_copy(update={"time": 5.0}), ended).reading().seconds == 4.0


def test_cost_is_known_where_the_models_price_is_and_when_the_list_is_there():
    prices = Prices()
    spent = events.UsageReported(turn=1, input=1_000_000, output=0)
    meters = used(events.RunStarted(model="gpt-5-mini"), spent, prices=prices)
    assert meters.reading().cost is None

    prices.load()
    assert meters.reading().cost == pytest.approx(0.25)
    assert meters.reading().cost == pytest.approx(0.25)
    assert used(events.RunStarted(model="home-made"), spent, prices=prices).reading().cost is None
    assert used(events.UsageReported(turn=1, cost=0.5), spent).reading().cost == 0.5
    odd = events.UsageReported(turn=1, input=1, cached=9)
    assert used(events.RunStarted(model="gpt-5-mini"), odd, spent, prices=prices).reading().cost == pytest.approx(0.25)


def test_a_text_costs_about_a_quarter_of_its_letters_and_one_per_ideograph():
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcdefgh") == 2
    assert estimated_tokens("由你决定") == 4
