//! Passing the output of one command to its subscribers.

use tokio::sync::mpsc::error::TrySendError;

use super::utf8::{TextOrBytes, Utf8Chunker};
use crate::event::{Event, Slow, Stream, Subscriber};

/// Chunks are cut to this size, so that the capacity of a subscriber bounds bytes too.
const CHUNK: usize = 16 * 1024;

#[derive(Debug)]
struct Watcher {
    subscriber: Subscriber,
    /// First chunk that was left out, and how many bytes were since.
    gap: Option<(u64, u64)>,
    gone: bool,
}

/// The subscribers of one command, with the numbering of its chunks.
#[derive(Debug, Default)]
pub(crate) struct Fanout {
    watchers: Vec<Watcher>,
    next_seq: u64,
    lanes: [Lane; 2],
}

#[derive(Debug, Default)]
struct Lane {
    chunker: Utf8Chunker,
    offset: u64,
}

impl Fanout {
    /// Adds a subscriber. It gets what comes from now on; the offset of its first chunk says how
    /// much it missed.
    pub(crate) fn add(&mut self, subscriber: Subscriber) {
        self.watchers.push(Watcher { subscriber, gap: None, gone: false });
    }

    /// Whether nobody watches.
    pub(crate) fn is_empty(&self) -> bool {
        self.watchers.is_empty()
    }

    /// The next bytes of `stream`.
    pub(crate) async fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let lane = &mut self.lanes[stream as usize];
        if self.watchers.is_empty() {
            // Nobody to cut characters for; a subscriber that comes later starts here.
            let _ = lane.chunker.finish();
            lane.offset += bytes.len() as u64;
            return;
        }
        let ready = lane.chunker.push(bytes);
        self.send_chunks(stream, ready).await;
    }

    /// The end of both streams: what was held back goes out.
    pub(crate) async fn finish(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = self.lanes[stream as usize].chunker.finish();
            self.send_chunks(stream, rest).await;
        }
        for watcher in &mut self.watchers {
            watcher.report_gap(true).await;
        }
    }

    async fn send_chunks(&mut self, stream: Stream, mut bytes: Vec<u8>) {
        while !bytes.is_empty() {
            let mut cut = bytes.len().min(CHUNK);
            if cut < bytes.len() {
                cut -= super::collector::cut_character(&bytes[..cut]);
            }
            let rest = bytes.split_off(cut);
            let length = bytes.len() as u64;
            let seq = self.next_seq;
            self.next_seq += 1;
            let lane = &mut self.lanes[stream as usize];
            let offset = lane.offset;
            lane.offset += length;
            let data = TextOrBytes::from_bytes(std::mem::replace(&mut bytes, rest));
            let event = Event::Output { seq, offset, stream, data };
            for watcher in &mut self.watchers {
                watcher.send_output(seq, length, event.clone()).await;
            }
            self.watchers.retain(|w| !w.gone);
        }
    }

    /// Sends an event that is not output. It may be left out for one that is behind.
    pub(crate) fn tell(&mut self, event: &Event) {
        for watcher in &mut self.watchers {
            let _ = watcher.subscriber.sender.try_send(event.clone());
        }
    }

    /// Lets nobody make the command wait any more: it is being ended.
    pub(crate) fn stop_waiting(&mut self) {
        for watcher in &mut self.watchers {
            watcher.subscriber.slow = Slow::Skip;
        }
    }

    /// Hands the subscribers over, for the last event.
    pub(crate) fn into_subscribers(self) -> Vec<Subscriber> {
        self.watchers.into_iter().map(|w| w.subscriber).collect()
    }
}

impl Watcher {
    async fn send_output(&mut self, seq: u64, length: u64, event: Event) {
        if self.subscriber.slow == Slow::Wait {
            self.gone |= self.subscriber.sender.send(event).await.is_err();
            return;
        }
        self.report_gap(false).await;
        if let Some((_, bytes)) = &mut self.gap {
            *bytes += length;
            return;
        }
        match self.subscriber.sender.try_send(event) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.gap = Some((seq, length)),
            Err(TrySendError::Closed(_)) => self.gone = true,
        }
    }

    /// Says what was left out, as soon as there is room. At the `end` nothing can come after it,
    /// so the place that was kept free for it is waited for; the reader is alive or gone.
    async fn report_gap(&mut self, end: bool) {
        let Some((seq, bytes)) = self.gap else { return };
        let event = Event::Gap { seq, bytes };
        let sent = if end {
            // The last event follows by a plain send in a task of its own; so does this one.
            let sender = self.subscriber.sender.clone();
            tokio::time::timeout(std::time::Duration::from_millis(50), sender.send(event))
                .await
                .is_ok()
        } else {
            // One place is left for output behind the gap.
            self.subscriber.sender.capacity() > 1 && self.subscriber.sender.try_send(event).is_ok()
        };
        if sent {
            self.gap = None;
        }
    }
}
