"""A small agent without a model: turns are lists of calls with what they give back."""

import asyncio
from dataclasses import dataclass, field

from loopwatch.detectors import preset
from loopwatch.detectors.suite import Suite
from loopwatch.engine import events
from loopwatch.engine.deliberation import Deliberation
from loopwatch.engine.desk import Decision, OperatorDesk
from loopwatch.engine.events import Action
from loopwatch.engine.log import EventLog
from loopwatch.engine.plan import Policy
from loopwatch.engine.reminders import wording
from loopwatch.engine.supervisor import Supervisor


class ScriptedDesk:
    """Answers in order; remembers what it was asked. The last answer is given again and again."""

    def __init__(self, *answers):
        self.answers = [answer if isinstance(answer, Decision) else Decision(action=answer) for answer in answers]
        self.asked = []

    async def decide(self, question):
        self.asked.append(question)
        await asyncio.sleep(0)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def failing(tool="read_file", **arguments):
    return (tool, arguments or {"path": "secret_key.txt"}, "no such file: secret_key.txt", True)


def fine(tool="list_dir", text="a.txt\nb.txt", **arguments):
    return (tool, arguments or {"path": "."}, text, False)


@dataclass
class Rig:
    """A supervisor with its log and a mock of the agent's side."""

    desk: object
    supervisor: Supervisor
    log: EventLog
    events: list = field(default_factory=list)
    messages: list = field(default_factory=list)
    """The conversation as an agent would send it."""
    turn: int = 0
    calls: int = 0
    ran: list = field(default_factory=list)

    def of(self, *kinds):
        return [event for event in self.events if event.type in kinds]

    def sends(self):
        """One request."""
        self.turn += 1
        self.log.append(events.TurnStarted(turn=self.turn, messages=len(self.messages)))
        self.supervisor.sent(self.turn, self.messages)

    async def does(self, *calls):
        """One model response: its calls are asked about, run, and reported."""
        self.messages.append({"role": "assistant", "content": "", "tool_calls": len(calls)})
        made = []
        for tool, arguments, text, failed in calls:
            self.calls += 1
            call = self.log.append(
                events.CallMade(turn=self.turn, call_id=f"c{self.calls}", tool=tool, arguments=arguments)
            )
            made.append((call, text, failed))
        for call, text, failed in made:
            clearance = await self.supervisor.before(call)
            refused = bool(clearance.refusal)
            if not refused:
                self.ran.append(call.call_id)
            said = clearance.refusal or text
            self.log.append(
                events.ResultCame(
                    turn=self.turn,
                    call_id=call.call_id,
                    text=said,
                    is_error=True if refused else failed,
                    synthetic=refused,
                )
            )
            self.messages.append({"role": "tool", "tool_call_id": call.call_id, "content": said})

    async def turns(self, *turns):
        """Several responses; stops where the supervisor says so. Returns the last directive."""
        directive = None
        for calls in turns:
            self.sends()
            await self.does(*([calls] if isinstance(calls, tuple) else calls))
            directive = await self.supervisor.boundary(self.turn)
            if directive.stop is not None:
                return directive
            for injection in directive.inject:
                if injection.channel == "user_message":
                    self.messages.append({"role": "user", "content": injection.text})
                else:
                    self.messages[-1]["content"] += f"\n<reminder>{injection.text}</reminder>"
        return directive


def rig(*answers, policy=None, using="tiny-claw", desk=None, changes=(), channel="user_message", task="find the key"):
    chosen = preset.bundled(using) if isinstance(using, str) else using
    for rule, setting, value in changes:
        chosen = chosen.with_value(rule, setting, value)
    log = EventLog("r")
    who = desk or (ScriptedDesk(*answers) if answers else OperatorDesk())
    deliberation = Deliberation(log, who, policy or Policy(), wording("en"), task=task, channel=channel)
    observes = (policy or Policy()).mode == "observe"
    supervisor = Supervisor(log, Suite(chosen, workspace="/w"), deliberation, observes_only=observes)
    log.subscribe(supervisor.take)
    made = Rig(desk=who, supervisor=supervisor, log=log)
    log.subscribe(made.events.append)
    return made


__all__ = ["Action", "Decision", "Rig", "ScriptedDesk", "failing", "fine", "rig"]
