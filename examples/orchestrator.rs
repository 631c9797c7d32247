//! A multi-agent orchestrator: agents are ractor actors that send their commands to hexad's
//! supervisor as messages, each in a task of its own.
//!
//! Run it with `cargo run --example orchestrator`.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use hexad::actors::Reply;
use hexad::{Config, Error, Execute, Hexad, SupervisorMessage, TaskId};
use ractor::{Actor, ActorProcessingErr, ActorRef};

/// An agent with a plan: a list of commands that it runs one after the other.
struct Agent;

struct AgentState {
    task: TaskId,
    hexad: ActorRef<SupervisorMessage>,
}

enum AgentMessage {
    /// Work through a plan, then say what the last command printed.
    Work(Vec<&'static str>, tokio::sync::oneshot::Sender<Result<String, Error>>),
}

impl Actor for Agent {
    type Msg = AgentMessage;
    type State = AgentState;
    type Arguments = (TaskId, ActorRef<SupervisorMessage>);

    async fn pre_start(
        &self,
        _myself: ActorRef<Self::Msg>,
        (task, hexad): Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(AgentState { task, hexad })
    }

    async fn handle(
        &self,
        _myself: ActorRef<Self::Msg>,
        AgentMessage::Work(plan, answer): AgentMessage,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        let (hexad, task) = (state.hexad.clone(), state.task.clone());
        // The work runs beside the mailbox, so that the agent can be talked to meanwhile.
        tokio::spawn(async move {
            let _ = answer.send(follow(&hexad, &task, plan).await);
        });
        Ok(())
    }
}

async fn follow(
    hexad: &ActorRef<SupervisorMessage>,
    task: &TaskId,
    plan: Vec<&'static str>,
) -> Result<String, Error> {
    let mut last = String::new();
    for command in plan {
        let (reply, answer) = Reply::new();
        let request = Box::new(Execute::new(command));
        let message = SupervisorMessage::Execute { task: task.clone(), request, reply };
        // A supervisor that is gone drops the reply, which answers with an error.
        let _ = hexad.cast(message);
        last = answer.wait().await?.text();
    }
    Ok(last)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hexad = Hexad::start(Config::builtin()).await?;
    let mut waiting = Vec::new();
    for name in ["ada", "grace", "edsger"] {
        let task = TaskId::new(format!("agent:{name}"))?;
        let (agent, _) = Actor::spawn(None, Agent, (task, hexad.supervisor())).await?;
        let (answer, result) = tokio::sync::oneshot::channel();
        // State carries over within the agent's task and never into another's.
        let plan = vec![
            "cd \"$(mktemp -d)\"; count() { ls | wc -l; }",
            "touch a b c",
            "echo \"$(count) files\"; rm -r \"$PWD\"",
        ];
        agent.cast(AgentMessage::Work(plan, answer))?;
        waiting.push((name, result));
    }
    for (name, result) in waiting {
        println!("{name}: {}", result.await??.trim_end());
    }
    hexad.shutdown().await?;
    Ok(())
}
