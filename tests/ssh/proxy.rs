//! A TCP proxy between hexad and a server, which a test cuts, stalls or holds back.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of the bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Pass,
    /// Nothing gets through any more, and nobody is told.
    Stall,
    /// What there is gets closed; new connections are closed at once.
    Cut,
    /// A connection is closed once it has carried so many bytes to us.
    CutAfter(usize),
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    mode: Arc<watch::Sender<Mode>>,
    accepted: Arc<std::sync::atomic::AtomicUsize>,
}

impl Proxy {
    pub(crate) async fn start(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mode = Arc::new(watch::Sender::new(Mode::Pass));
        let accepted = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let (modes, count) = (Arc::clone(&mode), Arc::clone(&accepted));
        tokio::spawn(async move {
            while let Ok((ours, _)) = listener.accept().await {
                count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if *modes.borrow() == Mode::Cut {
                    continue;
                }
                let Ok(theirs) = TcpStream::connect(("127.0.0.1", target)).await else { continue };
                let (our_read, our_write) = ours.into_split();
                let (their_read, their_write) = theirs.into_split();
                // Either half ends the other: a connection is cut as a whole.
                let (up, down) = (modes.subscribe(), modes.subscribe());
                tokio::spawn(async move {
                    tokio::select! {
                        () = carry(our_read, their_write, up, false) => {}
                        () = carry(their_read, our_write, down, true) => {}
                    }
                });
            }
        });
        Self { port, mode, accepted }
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// How many connections there ever were.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(std::sync::atomic::Ordering::Relaxed)
    }
}

async fn carry(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut mode: watch::Receiver<Mode>,
    counts: bool,
) {
    let mut buffer = vec![0; 16 * 1024];
    let mut carried = 0;
    loop {
        let now = *mode.borrow_and_update();
        match now {
            Mode::Cut => return,
            Mode::Stall => {
                if mode.changed().await.is_err() {
                    return;
                }
                continue;
            }
            Mode::Pass | Mode::CutAfter(_) => {}
        }
        let count = tokio::select! {
            count = from.read(&mut buffer) => count.unwrap_or(0),
            changed = mode.changed() => {
                if changed.is_err() {
                    return;
                }
                continue;
            }
        };
        carried += count;
        let over = counts && matches!(now, Mode::CutAfter(most) if carried > most);
        if count == 0 || over || to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
