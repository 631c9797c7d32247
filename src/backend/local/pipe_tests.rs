use tokio::io::AsyncReadExt as _;

use super::*;

async fn read(reader: &mut Reader) -> Vec<u8> {
    let mut buffer = vec![0; 64 * 1024];
    let count = tokio::time::timeout(Duration::from_secs(10), reader.read(&mut buffer)).await;
    buffer.truncate(count.unwrap().unwrap());
    buffer
}

#[tokio::test]
async fn every_line_arrives_also_after_a_rest_and_after_a_silence() {
    let (ours, theirs) = pair().unwrap();
    let mut reader = Reader::new(ours).unwrap();
    for round in 0..20 {
        let line = format!("line {round}\n");
        rustix::io::write(&theirs, line.as_bytes()).unwrap();
        assert_eq!(read(&mut reader).await, line.as_bytes());
        let pause = sleep(Duration::from_millis(round % 5));
        // Somebody waits meanwhile, as in a driver that has other things to do, too.
        tokio::select! {
            _ = read(&mut reader) => panic!("nothing was written"),
            () = pause => {}
        }
    }
    drop(theirs);
    assert!(read(&mut reader).await.is_empty());
}

#[tokio::test]
async fn a_resting_reader_still_finds_what_is_there_when_it_is_asked() {
    let (ours, theirs) = pair().unwrap();
    let mut reader = Reader::new(ours).unwrap();
    for _ in 0..ENOUGH {
        assert!(matches!(reader.state, State::Watched(_)));
        rustix::io::write(&theirs, b"line").unwrap();
        assert_eq!(read(&mut reader).await, b"line");
    }
    tokio::select! {
        biased;
        _ = read(&mut reader) => panic!("nothing was written"),
        () = std::future::ready(()) => {}
    }
    assert!(matches!(reader.state, State::Resting(..)));
    rustix::io::write(&theirs, b"second").unwrap();
    tokio::select! {
        biased;
        bytes = read(&mut reader) => assert_eq!(bytes, b"second"),
        () = std::future::ready(()) => panic!("it was there"),
    }
}
