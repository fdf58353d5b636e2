"""A session for the screen's tests: real log, real desk, real steps and facts; the test says what the agent does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from loopwatch.detectors import preset as presets
from loopwatch.detectors.sameness import Sameness
from loopwatch.engine import events
from loopwatch.engine.desk import OperatorDesk, Question
from loopwatch.engine.events import Action
from loopwatch.engine.log import EventLog
from loopwatch.engine.session import Capability, Limits, Reading
from loopwatch.engine.steps import StepAssembler

START = 1_700_000_000.0
REMINDER = (
    "You are working on: fix the login test. read_file secret_key.txt has failed three times with the same error. "
    "List the directory to see what is there, or say what is missing."
)


class Clock:
    """Stands still until told otherwise."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds


class Stage:
    """Implements ``engine.session.Session``; acts out what a test tells it to."""

    def __init__(self, *, capabilities=None, clock=None, limits=None, preset="balanced"):
        self.clock = clock or Clock()
        self.log = EventLog("stage", clock=self.clock)
        self.capabilities = Capability.own() if capabilities is None else capabilities
        self.desk = OperatorDesk(clock=self.clock)
        self.journal = None
        self.preset = presets.bundled(preset)
        self.limits = limits or Limits(turns=100, tokens=30_000, errors=3, no_progress=30)
        self.held = False
        self.said = []
        self.stopped = ""
        self.retuned = []
        self.decisions = []
        self.figures = {}
        self.failure = None
        self.speed, self.steps_asked, self.position = 1.0, 0, (3, 12)
        self._listeners = []
        self._codes = {}
        self._assembler = StepAssembler()
        self._sameness = Sameness()
        self._turn = 0
        self._calls = 0
        self._over = asyncio.Event()
        self._tasks = []
        self.log.subscribe(self._judge)

    def _judge(self, event):
        self._told(self._assembler.take(event))

    def _told(self, steps):
        for step in steps:
            facts = self._sameness.facts(step)
            if facts.call:
                # Codes of its own, so that no picture changes when fingerprints are made in another way.
                code = self._codes.setdefault(facts.call, f"{0x9C01 + 0x37F4 * len(self._codes) & 0xFFFF:04x}" * 4)
                facts = replace(facts, call=code)
            for listener in tuple(self._listeners):
                listener(step, facts)

    def on_step(self, listener):
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def execute(self):
        await self._over.wait()
        if self.failure is not None:
            raise self.failure

    def end(self, reason=events.EndReason.DONE, message=""):
        self.log.append(events.RunEnded(reason=reason, message=message, exit_code=events.EXIT_CODES[reason]))
        self._over.set()

    def break_down(self, error):
        self.failure = error
        self._over.set()

    def reading(self):
        return Reading(limits=self.limits, **self.figures)

    def retune(self, preset):
        self.preset = preset
        self.retuned.append(preset)

    def hold(self, *, on):
        self.held = on

    def stop(self, reason):
        self.stopped = reason
        self.end(events.EndReason.OPERATOR)

    def speak(self, text):
        self.said.append(text)

    def play(self, speed):
        self.held, self.speed = False, speed

    def step(self):
        self.held = True
        self.steps_asked += 1

    # What the agent does

    def begin(self, task="fix the login test", **more):
        facts = {"model": "gpt-5-mini", "workspace": "/srv/shop", "preset": self.preset.name, "policy": "ask"} | more
        self.log.append(events.RunStarted(task=task, **facts))

    def think(self, text="", reasoning=""):
        self._turn += 1
        self.log.append(events.TurnStarted(turn=self._turn, messages=2 * self._turn))
        if reasoning:
            self.log.append(events.ReasoningCame(turn=self._turn, text=reasoning))
        if text:
            self.log.append(events.TextCame(turn=self._turn, text=text))

    def call(self, tool, arguments):
        self._calls += 1
        self.log.append(events.CallMade(turn=self._turn, call_id=f"c{self._calls}", tool=tool, arguments=arguments))
        return f"c{self._calls}"

    def answer(self, call_id, text, *, failed=False, synthetic=False):
        self.log.append(
            events.ResultCame(
                turn=self._turn, call_id=call_id, text=text, is_error=failed, seconds=0.02, synthetic=synthetic
            )
        )
        self._told(self._assembler.settle("main"))

    def act(self, tool, arguments, result, *, failed=False, seconds=4.0):
        self.think()
        self.clock.advance(seconds)
        self.answer(self.call(tool, arguments), result, failed=failed)

    def ask(self, *, text=REMINDER, level="warn", response="remind", steps=(), expires=None, message=None, number=1):
        finding = self.log.append(
            events.FindingMade(
                rule="failing_call",
                level=level,
                step=steps[-1] if steps else 0,
                steps=steps,
                count=len(steps),
                threshold=3,
                message=message or "read_file “secret_key.txt” failed 3 times with equal arguments.",
                response=response,
                tool="read_file",
                equal_because=("path normalised",),
                resets_when="the call succeeds",
            )
        )
        suggestion = self.log.append(
            events.SuggestionMade(
                id=f"s{number}", finding=finding.seq, rule=finding.rule, level=level, response=response, text=text
            )
        )
        question = Question(suggestion, finding, asked_at=self.clock(), expires_at=expires)
        task = asyncio.get_running_loop().create_task(self._settle(question))
        self._tasks.append(task)
        return task

    async def _settle(self, question):
        decision = await self.desk.decide(question)
        self.decisions.append(decision)
        suggestion = question.suggestion
        self.log.append(
            events.DecisionMade(
                suggestion=suggestion.id,
                action=decision.action,
                text=decision.text,
                steps=decision.steps,
                always=decision.always,
                seconds=self.clock() - question.asked_at,
            )
        )
        if decision.action in {Action.ACCEPT, Action.EDIT, Action.OVERRIDE}:
            text = decision.text or suggestion.text
            self.log.append(
                events.Injected(
                    id="i1",
                    suggestion=suggestion.id,
                    rule=suggestion.rule,
                    text=text,
                    channel="user_message",
                    tokens=42,
                )
            )
            self.log.append(events.Receipt(injection="i1", status="delivered", turn=self._turn + 1, position=9, of=10))
        return decision

    def secret_key(self):
        """The doom loop of the first scenario, up to the third equal failure."""
        self.begin()
        self.think("I'll look at the tests first.", reasoning="The login test fails; find out why.")
        self.answer(self.call("bash", {"command": "pytest -q tests/login"}), "1 failed in 0.31s", failed=True)
        self.act("read_file", {"path": "tests/login.py"}, "def test_login():\n    ...\n")
        error = "Error: no such file: secret_key.txt"
        self.act("read_file", {"path": "secret_key.txt"}, error, failed=True)
        self.act("bash", {"command": "pytest -q tests/login"}, "1 failed in 0.29s", failed=True)
        self.act("read_file", {"path": "./secret_key.txt"}, error, failed=True)
        self.act("read_file", {"path": "secret_key.txt"}, error, failed=True)
        self.figures = {
            "turns": 6, "steps": 6, "failed_steps": 5, "input_tokens": 24_100, "output_tokens": 2_070,
            "cached_tokens": 18_000, "recent_tokens": (1800, 2400, 3100, 4200, 6300, 8370), "errors": 3,
            "no_progress": 3, "cost": 0.12, "seconds": 41.0,
        }  # fmt: skip
        return 2, 4, 5
