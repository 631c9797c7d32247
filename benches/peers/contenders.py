"""One class for each system: start it, run one command in it, stop it.

A contender's `run` gives (status, output). Its environment is its usual one; nothing is tuned.
Each is imported only when it is started, so that a missing package leaves out one row.
"""

import asyncio
import json
import os
import subprocess
import tempfile
import uuid


class Hexad:
    """`hexad serve --stdio`: one JSON line there and one back, so its gateway is in the time."""

    def __init__(self, binary, backend, env=None, config=""):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "hexad.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"terminal:\n  backend: {backend}\n{config}")
        full = dict(os.environ, HEXAD_STATE_DIR=self.folder.name, **(env or {}))
        self.process = subprocess.Popen(
            [binary, "--config", path, "serve", "--stdio", "--ephemeral"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=full)
        self.number = 0

    def ask(self, **request):
        self.number += 1
        request.update(id=str(self.number), task_id="peers")
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("hexad ended")
            event = json.loads(line)
            if event.get("event") in ("finished", "done"):
                return event
            if event.get("event") == "error":
                raise RuntimeError(event["message"])

    def run(self, command, timeout=None):
        event = self.ask(op="execute", command=command, **({"timeout": timeout} if timeout else {}))
        return event["returncode"], event["output"]

    def close(self):
        try:
            self.ask(op="release")
        finally:
            self.process.stdin.close()
            self.process.wait(30)
            self.folder.cleanup()


class Program:
    """A program for each command, as a script would do it: bash, docker exec, ssh, apptainer."""

    def __init__(self, argv, close=None):
        self.argv, self.at_end = argv, close

    def run(self, command, timeout=None):
        try:
            done = subprocess.run([*self.argv, command], stdin=subprocess.DEVNULL, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, done.stdout

    def close(self):
        if self.at_end:
            self.at_end()


class Hermes:
    """hermes-agent's own environments."""

    def __init__(self, kind, **arguments):
        if kind == "local":
            from tools.environments.local import LocalEnvironment as Environment
        elif kind == "docker":
            from tools.environments.docker import DockerEnvironment as Environment
            arguments.setdefault("task_id", f"peers-{uuid.uuid4().hex[:8]}")
        else:
            from tools.environments.ssh import SSHEnvironment as Environment
        self.environment = Environment(**arguments)

    def run(self, command, timeout=None):
        done = self.environment.execute(command, timeout=timeout)
        return done["returncode"], done["output"]

    def close(self):
        self.environment.cleanup()


class MiniSwe:
    """mini-swe-agent's own environments."""

    def __init__(self, kind, **arguments):
        if kind == "local":
            from minisweagent.environments.local import LocalEnvironment as Environment
        else:
            from minisweagent.environments.docker import DockerEnvironment as Environment
        self.environment = Environment(**arguments)

    def run(self, command, timeout=None):
        done = self.environment.execute({"command": command}, timeout=timeout)
        timed_out = "timed out" in done.get("exception_info", "")
        return 124 if timed_out else done["returncode"], done["output"]

    def close(self):
        if hasattr(self.environment, "cleanup"):
            self.environment.cleanup()


class SweRex:
    """A bash session of swe-rex's local runtime."""

    def __init__(self):
        from swerex.runtime.abstract import CloseSessionRequest, CreateBashSessionRequest
        from swerex.runtime.local import LocalRuntime
        self.loop = asyncio.new_event_loop()
        self.runtime = LocalRuntime()
        self.close_request = CloseSessionRequest()
        self.loop.run_until_complete(self.runtime.create_session(CreateBashSessionRequest()))

    def run(self, command, timeout=None):
        from swerex.exceptions import CommandTimeoutError
        from swerex.runtime.abstract import BashAction, BashInterruptAction
        action = BashAction(command=command, timeout=timeout, check="silent")
        try:
            done = self.loop.run_until_complete(self.runtime.run_in_session(action))
        except CommandTimeoutError:
            # The session is of no use before this; it is part of getting an answer.
            self.loop.run_until_complete(self.runtime.run_in_session(BashInterruptAction()))
            return 124, ""
        return done.exit_code, done.output

    def close(self):
        self.loop.run_until_complete(self.runtime.close_session(self.close_request))
        self.loop.run_until_complete(self.runtime.close())


class ExecKit:
    """A session of execkit, through its Python package."""

    def __init__(self, kind, *arguments, **named):
        import execkit
        self.session = getattr(execkit.Session, kind)(*arguments, **named)

    def run(self, command, timeout=None):
        done = self.session.exec(command, timeout=timeout)
        return done.exit_code, done.stdout

    def close(self):
        self.session.close()
