//! Passing the output of one command to its subscribers.

use std::collections::VecDeque;

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
    /// Chunks that not every watcher has been given yet, and how many have the first of them.
    pending: VecDeque<Chunk>,
    served: usize,
}

#[derive(Debug)]
struct Chunk {
    seq: u64,
    length: u64,
    event: Event,
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

    /// Takes the next bytes of `stream`; [`Fanout::flush`] passes them on.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let lane = &mut self.lanes[stream as usize];
        if self.watchers.is_empty() {
            // Nobody to cut characters for; a subscriber that comes later starts here.
            lane.offset += (lane.chunker.finish().len() + bytes.len()) as u64;
            return;
        }
        let ready = lane.chunker.push(bytes);
        self.cut(stream, ready);
    }

    /// Takes the end of both streams: what was held back may go out.
    pub(crate) fn finish(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let rest = self.lanes[stream as usize].chunker.finish();
            self.cut(stream, rest);
        }
    }

    /// Passes on what was taken, waiting for subscribers that want to be waited for. Cancel-safe:
    /// called again, it goes on where it was.
    pub(crate) async fn flush(&mut self) {
        while let Some(chunk) = self.pending.front() {
            while let Some(watcher) = self.watchers.get_mut(self.served) {
                watcher.send_output(chunk).await;
                self.served += 1;
            }
            self.pending.pop_front();
            self.served = 0;
            self.watchers.retain(|w| !w.gone);
        }
    }

    fn cut(&mut self, stream: Stream, mut bytes: Vec<u8>) {
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
            self.pending.push_back(Chunk { seq, length, event });
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

    /// What this subscriber missed since it last had room; it has to be told before the end.
    pub(crate) fn gap_of(&self, subscriber: &Subscriber) -> Option<Event> {
        let same = |w: &&Watcher| w.subscriber.sender.same_channel(&subscriber.sender);
        let (seq, bytes) = self.watchers.iter().find(same)?.gap?;
        Some(Event::Gap { seq, bytes })
    }
}

impl Watcher {
    async fn send_output(&mut self, chunk: &Chunk) {
        if self.subscriber.slow == Slow::Wait {
            self.gone |= self.subscriber.sender.send(chunk.event.clone()).await.is_err();
            return;
        }
        self.report_gap();
        if let Some((_, bytes)) = &mut self.gap {
            *bytes += chunk.length;
            return;
        }
        match self.subscriber.sender.try_send(chunk.event.clone()) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => self.gap = Some((chunk.seq, chunk.length)),
            Err(TrySendError::Closed(_)) => self.gone = true,
        }
    }

    /// Says what was left out, as soon as there is room for that and for a chunk behind it.
    fn report_gap(&mut self) {
        let Some((seq, bytes)) = self.gap else { return };
        let sender = &self.subscriber.sender;
        if sender.capacity() > 1 && sender.try_send(Event::Gap { seq, bytes }).is_ok() {
            self.gap = None;
        }
    }
}
