//! Where the bytes of a running command go.

use std::path::Path;

use crate::event::Stream;
use crate::outcome::{Captured, Notice};
use crate::output::{Collector, Fanout, Spill};

/// Keeps, spills and passes on the output of one command.
#[derive(Debug)]
pub(super) struct Capture {
    lanes: [Lane; 2],
    pub(super) fanout: Fanout,
    notices: Vec<Notice>,
}

#[derive(Debug)]
struct Lane {
    collector: Collector,
    spill: Option<Spill>,
}

impl Capture {
    pub(super) fn new(limit: usize, spill: Option<&Path>, separate: bool, fanout: Fanout) -> Self {
        let mut notices = Vec::new();
        let mut lane = |wanted: bool| {
            let spill = spill.filter(|_| wanted).and_then(|folder| {
                Spill::create(folder)
                    .map_err(|e| notices.push(spill_failed(&folder.display().to_string(), &e)))
                    .ok()
            });
            Lane { collector: Collector::new(limit), spill }
        };
        let lanes = [lane(true), lane(separate)];
        Self { lanes, fanout, notices }
    }

    /// Keeps `bytes`. Writing to a spill file goes to the page cache of a local disk and is
    /// done in place.
    pub(super) fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        let lane = &mut self.lanes[stream as usize];
        lane.collector.push(bytes);
        if let Some(spill) = &mut lane.spill {
            spill.write(bytes);
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.lanes.iter().map(|l| l.collector.total()).sum()
    }

    pub(super) fn last_line(&self) -> String {
        self.lanes[0].collector.last_line(200)
    }

    /// What was kept of both streams, the subscribers, and what went wrong.
    pub(super) fn finish(self) -> (Captured, Captured, Fanout, Vec<Notice>) {
        let mut notices = self.notices;
        let [stdout, stderr] = self.lanes.map(|lane| {
            let mut captured = lane.collector.finish();
            if let Some((path, failed)) = lane.spill.map(Spill::finish) {
                if let Some(error) = failed {
                    notices.push(spill_failed(&path.display().to_string(), &error));
                }
                captured.spill = Some(path);
            }
            captured
        });
        (stdout, stderr, self.fanout, notices)
    }
}

fn spill_failed(path: &str, error: &std::io::Error) -> Notice {
    Notice::new("spill_failed", format!("the whole output could not be kept in {path}: {error}"))
}
