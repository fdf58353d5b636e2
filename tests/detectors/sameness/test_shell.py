"""What a shell command says, however it is dressed."""

import pytest

from loopwatch.detectors.sameness.facts import Effect
from tests.detectors.sameness.looking import WORKSPACE, call_of, facts, shell

DRESSED = [
    ("go build ./cmd/till", "go  build   ./cmd/till"),
    ("go build ./cmd/till", "go build ./cmd/till ;"),
    ("go build ./cmd/till", "go build ./cmd/till;"),
    ("go build ./cmd/till", "go build ./cmd/till 2>&1"),
    ("go build ./cmd/till", "go build ./cmd/till 2>/dev/null"),
    ("go build ./cmd/till", "go build ./cmd/till || true"),
    ("go build ./cmd/till", "go build ./cmd/till; true"),
    ("go build ./cmd/till", "go build './cmd/till'"),
    ("go build ./cmd/till", 'go build "./cmd/till"'),
    ("go build ./cmd/till", "go build ./cmd/till | cat"),
    ("go build ./cmd/till", "(go build ./cmd/till)"),
    ("go build ./cmd/till", "{ go build ./cmd/till; }"),
    ("go build ./cmd/till", "go build ./cmd/../cmd/till/"),
    ("go build ./cmd/till", "go build \\\n  ./cmd/till"),
    ("go build ./cmd/till", "# once more\ngo build ./cmd/till"),
    ("go build ./cmd/till", "bash -c 'go build ./cmd/till'"),
    ("go build ./cmd/till", 'bash -lc "go build ./cmd/till 2>&1"'),
    ("go build ./cmd/till", f"cd {WORKSPACE} && go build ./cmd/till"),
    ("go build ./cmd/till", "cd . && go build ./cmd/till"),
    ("go build ./cmd/till", "timeout 60 go build ./cmd/till"),
    ("go build ./cmd/till", "timeout -k 5 60s go build ./cmd/till"),
    ("go build ./cmd/till", "time go build ./cmd/till"),
    ("go build ./cmd/till", "nohup nice -n 5 go build ./cmd/till"),
    ("go build ./cmd/till", "env NO_COLOR=1 go build ./cmd/till"),
    ("go build ./cmd/till", "CI=1 go build ./cmd/till"),
    ("systemctl status till", "sudo -u root systemctl status till"),
    ("GOOS=linux CGO_ENABLED=0 go build", "env CGO_ENABLED=0 GOOS=linux go build"),
    ("cat notes.txt", "cat ./notes.txt"),
    ("cat notes.txt", f"cat {WORKSPACE}/notes.txt"),
    ("cat notes.txt", "cat 'notes.txt' 2>&1"),
    ("cat src/a.py", "cd src && cat a.py"),
    ("cat src/a.py", "cd src; cat ./a.py"),
    ("cd src && npm test", "cd ./src/ && npm test"),
    ("cd src && npm test", f"cd {WORKSPACE}/src && npm test || true"),
    ("git show 9F86D08", "git show 9f86d08"),
    ("curl -s https://shop.example/stock", "curl -s HTTPS://shop.example:443/stock#now"),
    ("grep -rn 'gift card' src", 'grep -rn "gift card" ./src/'),
    ("./seed.sh > /tmp/seed-15d68927.log", "./seed.sh > /tmp/seed-fcd1ecae.log"),
]  # fmt: skip


@pytest.mark.parametrize(("plain", "dressed"), DRESSED)
def test_dressing_changes_nothing(plain, dressed):
    """A10, A11."""
    assert shell(dressed).call == shell(plain).call


DIFFERENT = [
    ("go build ./cmd/till", "go build ./cmd/shelf"),
    ("go build ./cmd/till", "go test ./cmd/till"),
    ("go build ./cmd/till", "go build -v ./cmd/till"),
    ("go build ./cmd/till", "go build ./cmd/till && go test ./cmd/till"),
    ("go build ./cmd/till", "cd sub && go build ./cmd/till"),
    ("go build ./cmd/till", "GOOS=linux go build ./cmd/till"),
    ("go test ./... | head -50", "go test ./... | tail -50"),
    ("go test ./... | head -50", "go test ./... | head -80"),
    ("go test ./... | grep FAIL", "go test ./..."),
    ("cat a.txt", "cat b.txt"),
    ("cat a.txt", "cat a.txt > b.txt"),
    ("cat a.txt", "rm a.txt"),
    ("echo 'a  b'", "echo 'a b'"),
    ("grep -n 'a.b' x", "grep -n 'a/../b' x"),
    ("sed -n 's/a/b/p' x", "sed -n 's/a/../b/p' x"),
    ("python -c 'print(1)'", "python -c 'print(2)'"),
    ("python - <<'E'\nprint(1)\nE", "python - <<'E'\nprint(2)\nE"),
    ("a && b", "a || b"),
    ("a; b", "a | b"),
    ("make", "make &"),
    ("git show 9f86d08", "git show 9f86d09"),
    ("python /tmp/probe1.py", "python /tmp/probe2.py"),
    ("curl https://a.example/x", "curl https://a.example/y"),
    ("a=1", "a = 1"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_command_is_another_call(one, other):
    """A11."""
    assert shell(one).call != shell(other).call


def test_an_argument_list_is_the_command_in_it():
    """Codex sends lists."""
    listed = facts("shell", {"command": ["bash", "-lc", "cat src/a.py"], "workdir": WORKSPACE})
    words = facts("shell", {"command": ["cat", "src/a.py"]})

    assert listed.call == words.call == shell("cat src/a.py").call


def test_the_directory_counts_by_where_it_leads():
    """A11."""
    there = facts("shell", {"command": "npm test", "workdir": f"{WORKSPACE}/web"}).call

    assert there == shell("cd web && npm test").call
    assert there != shell("npm test").call
    assert call_of("shell", {"command": "cat a", "workdir": "web"}) == call_of("shell", {"command": "cat web/a"})


R, W, X, V, P = Effect.READ, Effect.WRITE, Effect.EXECUTE, Effect.VERIFY, Effect.POLL
EFFECTS = [
    ("ls -la src", R), ("cat a | head -5", R), ("git status", R), ("git -C sub log --oneline", R),
    ("git stash list", R),
    ("grep -rn x . 2>/dev/null", R), ("find . -name '*.py'", R), ("echo hello", R), ("which go", R), ("cd src", R),
    ("npm ls", R), ("cargo tree", R), ("docker ps", R), ("kubectl get pods", R), ("curl -s https://a.example", R),
    ("tail -n 5 x.log", R), ("ls > /dev/null", R), ("true", R),
    ("docker exec -it web cat a", R), ("pip list", R), ("go version", R),
    ("node --version", R), ("psql -h db -c 'select 1'", R), ("jobctl show 7", R), ("command -v go", R),
    ("gh api repos/a/b", R),
    ("find . -name x | xargs grep y", R), ("wget -qO- https://a.example", R),
    ("sed -i 's/a/b/' x", W), ("echo a > x", W), ("echo a >> x", W), ("printf a | tee x", W),
    ("cat > x <<'E'\na\nE", W),
    ("git checkout -- x", W), ("git commit -m a", W), ("npm install", W), ("pip install x", W), ("mv a b", W),
    ("rm -rf build", W), ("mkdir -p a/b", W), ("cp a b", W), ("perl -pi -e s/a/b/ x", W), ("sudo apt-get install x", W),
    ("curl -o x https://a.example", W), ("find . -name x -delete", W), ("python -m pip install x", W),
    ("kubectl exec pod -- rm a", W), ("ls | xargs rm", R | W),
    ("pytest -q", V), ("python -m pytest tests", V), ("make test", V), ("make", V), ("cargo build", V), ("npx tsc", V),
    ("ruff check .", V), ("npm test", V), ("npm run lint", V), ("yarn build", V), ("go test ./...", V),
    ("uv run pytest", V),
    ("pytest -q 2>&1 | tail -20", V), ("cd web && npm test", V), ("./scripts/run_tests.sh", V), ("mvn -q test", V),
    ("CI=1 npx vitest run", V), ("timeout 300 pytest", V), ("bash -lc 'pytest -q'", V),
    ("mise run lint", V), ("./gradlew check", V),
    ("docker exec web pytest -q", V),
    ("python app.py", X), ("node server.js", X), ("./deploy.sh api", X), ("make deploy", X), ("npm start", X),
    ("curl -X POST https://a.example", X), ("docker compose up", X), ("ssh host uptime", X),
    ("psql -c 'delete from a'", X), ("jobctl start 7", X),
    ("sleep 30", P), ("ps aux", P), ("jobs", P), ("kubectl get pods -w", P), ("kubectl rollout status deploy/a", P),
    ("gh run view 12", P), ("gh pr checks 12", P), ("tail -f x.log", R | P), ("sleep 30; cat x.log", R | P),
    ("while ! curl -s https://a.example/status; do sleep 2; done", R | P),
    ("sed -i 's/a/b/' x && pytest -q", W | V), ("git add -A && git commit -m x", W), ("npm run build > out.txt", W | V),
]  # fmt: skip


@pytest.mark.parametrize(("command", "effect"), EFFECTS)
def test_a_command_does_what_its_programs_do(command, effect):
    """F23, F24: changes made through the shell are changes, and checks are checks."""
    assert shell(command).effect == effect


@pytest.mark.parametrize(
    ("command", "target", "span"),
    [
        ("cat src/a.py", "src/a.py", None),
        ("sed -n '1,220p' src/a.py", "src/a.py", (1, 220)),
        ("sed -n 40p ./src/a.py", "src/a.py", (40, 40)),
        ("head -50 src/a.py", "src/a.py", (1, 50)),
        ("head -n 50 src/a.py", "src/a.py", (1, 50)),
        ("ls", ".", None),
        ("cd src && cat a.py", "src/a.py", None),
        ("echo x > out/b.txt", "out/b.txt", None),
        ("sed -i 's/a/b/' src/a.py", "src/a.py", None),
        ("grep -rn cart src lib", "lib", None),
        ("grep -rn cart", ".", None),
        ("curl -s https://A.example/x#y", "https://a.example/x", None),
        ("go test ./...", "go", None),
        ("cd web && npm test", "npm", None),
    ],
)
def test_a_command_is_about_a_file_or_a_program(command, target, span):
    """A11."""
    step = shell(command)

    assert (step.target, step.span) == (target, span)


@pytest.mark.parametrize(
    ("step", "seconds"),
    [
        (shell("sleep 30; jobctl show 7"), 30.0),
        (shell("sleep 5m && cat x.log"), 300.0),
        (shell("sleep 0.5"), 0.5),
        (shell("make"), 0.0),
        (shell("sleep $N"), 0.0),
        (facts("BashOutput", {"bash_id": "b1", "timeout": 60_000}), 60.0),
        (facts("write_stdin", {"session_id": 3, "chars": "", "yield_time_ms": 5_000}), 5.0),
        (facts("terminal", {"command": "", "timeout": 60}), 60.0),
        (facts("wait", {"seconds": 15}), 15.0),
        (facts("Bash", {"command": "make", "timeout": 600_000}), 0.0),
    ],
)
def test_a_call_that_waits_says_how_long(step, seconds):
    """F12, F13."""
    assert step.declared_wait == seconds


def test_empty_input_to_a_terminal_is_waiting():
    """F12."""
    assert facts("terminal", {"command": "", "timeout": 60}).effect == Effect.POLL


def test_input_to_a_running_process_is_no_poll():
    assert facts("write_stdin", {"session_id": 3, "chars": "y\n"}).effect == Effect.EXECUTE
    assert facts("process", {"action": "kill", "session": "b"}).effect == Effect.EXECUTE
    assert facts("process", {"action": "list"}).effect == Effect.POLL


@pytest.mark.parametrize("command", ["", " ", "'", "$(", "((((", "<<E", "a &&", "|", ";;", "\0", "\ud800", "`", "for"])
def test_a_broken_command_is_still_a_command(command):
    assert shell(command).call
