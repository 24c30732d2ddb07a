//! The streams under a runtime.

mod common;

use acklab_live::Config;
use common::{byte, ends};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test]
async fn streams_are_async_read_and_write() {
    let e = ends(Config::default());
    let (mut client, mut server) = e.join(e.server.local_addr());
    let total = 5_000_000u64;
    let writer = tokio::spawn(async move {
        let bytes: Vec<u8> = (0..total).map(byte).collect();
        client.write_all(&bytes).await.unwrap();
        client.shutdown().await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        answer
    });
    let mut got = Vec::new();
    server.read_to_end(&mut got).await.unwrap();
    assert_eq!(got.len() as u64, total);
    assert!(got.iter().zip(0..).all(|(b, at)| *b == byte(at)));
    server.write_all(b"all there").await.unwrap();
    server.shutdown().await.unwrap();
    assert_eq!(writer.await.unwrap(), "all there");
}
