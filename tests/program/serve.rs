//! `hexad serve --stdio`: the wire vocabulary as a program would speak it.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{Surroundings, eventually, processes_with, signal, unique_sleep};

/// A running gateway and the two ends of it.
struct Gateway {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    /// Last events of requests that nobody has asked about yet.
    aside: Vec<Value>,
}

impl Gateway {
    fn start(here: &Surroundings) -> Self {
        let mut child = here.hexad(&["serve", "--stdio"]).stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, stdin, lines, aside: Vec::new() }
    }

    fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
    }

    fn send(&mut self, request: &Value) {
        self.send_line(&request.to_string());
    }

    fn next(&mut self) -> Option<Value> {
        let line = self.lines.next()?.unwrap();
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The last event of the request `id`; those of other requests are put aside.
    fn last(&mut self, id: &str) -> Value {
        if let Some(at) = self.aside.iter().position(|e| e["id"] == id) {
            return self.aside.remove(at);
        }
        loop {
            let event = self.next().expect("the gateway ended too early");
            if !["finished", "done", "error"].contains(&event["event"].as_str().unwrap()) {
                continue;
            }
            if event["id"] == id {
                return event;
            }
            self.aside.push(event);
        }
    }

    /// Closes the input and reads what is left.
    fn end(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.stdin.take());
        let mut rest = Vec::new();
        while let Some(event) = self.next() {
            rest.push(event);
        }
        (rest, self.child.wait().unwrap().code())
    }
}

fn execute(id: &str, command: &str) -> Value {
    json!({ "id": id, "op": "execute", "task_id": "t", "command": command })
}

#[test]
fn commands_of_a_task_run_in_order_and_share_their_state() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    for n in 0..20 {
        gateway.send(&execute(&n.to_string(), &format!("N=$((N+1)); echo {n} $N")));
    }
    for n in 0..20 {
        assert_eq!(gateway.last(&n.to_string())["output"], format!("{n} {}\n", n + 1));
    }
    assert_eq!(gateway.end().1, Some(0));
}

#[test]
fn a_bad_line_is_answered_and_the_rest_goes_on() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    gateway.send_line("{\"id\":\"1\",\"op\":\"execute\",");
    gateway.send_line("");
    gateway.send_line("{\"id\":\"2\",\"op\":\"dance\"}");
    gateway
        .send_line("{\"id\":\"3\",\"op\":\"execute\",\"task_id\":\"t\",\"command\":\"a\\u0000b\"}");
    gateway.send(&execute("4", "echo fine"));
    let first = gateway.next().unwrap();
    assert_eq!((&first["event"], &first["code"]), (&json!("error"), &json!("invalid_request")));
    assert_eq!(first["id"], Value::Null);
    assert_eq!(gateway.last("2")["code"], "invalid_request");
    assert!(gateway.last("3")["message"].as_str().unwrap().contains("NUL"));
    assert_eq!(gateway.last("4")["output"], "fine\n");
}

#[test]
fn the_end_of_the_input_finishes_what_runs() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    gateway.send(&execute("1", "sleep 0.3; echo done"));
    gateway.send(&execute("2", "echo queued"));
    let (events, code) = gateway.end();
    let outputs: Vec<&Value> =
        events.iter().filter(|e| e["event"] == "finished").map(|e| &e["output"]).collect();
    assert_eq!(outputs, ["done\n", "queued\n"]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_request_to_stop_interrupts_answers_and_exits() {
    let here = Surroundings::new();
    let sleep = unique_sleep();
    let mut gateway = Gateway::start(&here);
    gateway.send(&execute("1", &format!("echo before; setsid sleep {sleep} & sleep {sleep}")));
    gateway.send(&execute("2", "echo never"));
    eventually("it runs", || processes_with(&sleep) == 2);
    signal(gateway.child.id(), Signal::SIGTERM);
    let running = gateway.last("1");
    assert_eq!(
        (&running["outcome"], &running["cause"]),
        (&json!("interrupted"), &json!("shutdown"))
    );
    assert_eq!(running["output"], "before\n");
    let waiting = gateway.last("2");
    assert_eq!((&waiting["outcome"], &waiting["output"]), (&json!("interrupted"), &json!("")));
    assert_eq!(gateway.child.wait().unwrap().code(), Some(0));
    assert_eq!(processes_with(&sleep), 0);
}

#[test]
fn a_repeated_id_runs_once() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    let file = here.path().join("count");
    let command = format!("echo x >> {}; sleep 0.2; echo ran", file.display());
    gateway.send(&execute("same", &command));
    gateway.send(&execute("same", &command));
    assert_eq!(gateway.last("same")["output"], "ran\n");
    assert_eq!(gateway.last("same")["output"], "ran\n");
    gateway.send(&execute("same", &command));
    let again = gateway.last("same");
    assert_eq!((&again["output"], &again["repeated"]), (&json!("ran\n"), &json!(true)));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "x\n");
}

#[test]
fn control_ops_are_answered_while_a_command_runs() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    let mut request = execute("1", "cd /tmp; echo begun; sleep 60");
    request["stream"] = json!(true);
    gateway.send(&request);
    while gateway.next().unwrap()["event"] != "output" {}
    gateway.send(&json!({ "id": "s", "op": "status", "task_id": "t" }));
    let status = gateway.last("s");
    assert_eq!(status["environment"]["task_id"], "t");
    gateway.send(&json!({ "id": "l", "op": "list" }));
    assert_eq!(gateway.last("l")["environments"].as_array().unwrap().len(), 1);
    gateway.send(&json!({ "id": "i", "op": "interrupt", "task_id": "t" }));
    assert_eq!(gateway.last("i")["interrupted"], true);
    let ended = gateway.last("1");
    assert_eq!((&ended["outcome"], &ended["returncode"]), (&json!("interrupted"), &json!(130)));
    gateway.send(&json!({ "id": "st", "op": "state", "task_id": "t" }));
    assert!(gateway.last("st")["state"]["cwd"].is_string());
    gateway.send(&json!({ "id": "p", "op": "ping" }));
    assert!(gateway.last("p")["version"].is_string());
    gateway.send(&json!({ "id": "r", "op": "release", "task_id": "t" }));
    assert_eq!(gateway.last("r")["released"], true);
}

#[test]
fn chunks_are_numbered_and_make_up_the_output() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    let mut request = execute("1", "for i in 1 2 3; do printf '€%s' $i; sleep 0.05; done");
    request["stream"] = json!(true);
    gateway.send(&request);
    let (mut text, mut offset, mut seq) = (String::new(), 0, 0);
    let finished = loop {
        let event = gateway.next().unwrap();
        match event["event"].as_str().unwrap() {
            "output" => {
                assert_eq!((&event["seq"], &event["offset"]), (&json!(seq), &json!(offset)));
                let chunk = event["text"].as_str().unwrap();
                text.push_str(chunk);
                offset += chunk.len();
                seq += 1;
            }
            "finished" => break event,
            _ => {}
        }
    };
    assert_eq!(text, "€1€2€3");
    assert_eq!(finished["output"], text);
    assert!(seq >= 2, "the output came in one piece: it was not live");
}

#[test]
fn state_survives_a_restart() {
    let here = Surroundings::new();
    let mut gateway = Gateway::start(&here);
    gateway.send(&execute("1", "cd /; export A=kept; f() { echo f; }"));
    gateway.last("1");
    assert_eq!(gateway.end().1, Some(0));
    let mut gateway = Gateway::start(&here);
    gateway.send(&execute("1", "echo $A $(f) $PWD"));
    assert_eq!(gateway.last("1")["output"], "kept f /\n");
}
