//! quinn, as its own bulk benchmark has it: a runtime of one thread at each end.

use super::PIECE;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::crypto::ring::{cipher_suite::TLS13_AES_128_GCM_SHA256, default_provider};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    let mut provider = default_provider();
    provider.cipher_suites = vec![TLS13_AES_128_GCM_SHA256];
    Arc::new(provider)
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

fn transport(mtu: u32) -> Arc<quinn::TransportConfig> {
    let mut t = quinn::TransportConfig::default();
    let window = quinn::VarInt::from_u32(6 << 20);
    t.stream_receive_window(window).receive_window(window);
    t.send_window(6 << 20);
    t.initial_mtu((mtu - 28) as u16);
    Arc::new(t)
}

fn other(e: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(e)
}

fn any() -> std::net::SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

/// The receiving end.
pub fn receive(mtu: u32, say: &mut dyn FnMut(&str)) -> io::Result<u64> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).map_err(other)?;
    let der = made.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let tls = rustls::ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(other)?
        .with_no_client_auth()
        .with_single_cert(vec![der.clone()], key.into())
        .map_err(other)?;
    let quic = QuicServerConfig::try_from(tls).map_err(other)?;
    let mut cfg = quinn::ServerConfig::with_crypto(Arc::new(quic));
    cfg.transport_config(transport(mtu));
    runtime()?.block_on(async move {
        let endpoint = quinn::Endpoint::server(cfg, any())?;
        let hex: String = der.iter().map(|b| format!("{b:02x}")).collect();
        say(&format!("{} {hex}", endpoint.local_addr()?));
        let incoming = endpoint.accept().await;
        let incoming = incoming.ok_or_else(|| io::Error::other("no connection"))?;
        let connection = incoming.await.map_err(other)?;
        let mut stream = connection.accept_uni().await.map_err(other)?;
        let mut buffer = vec![0; PIECE];
        let mut total = 0;
        while let Some(len) = stream.read(&mut buffer).await.map_err(other)? {
            total += len as u64;
        }
        connection.closed().await;
        Ok(total)
    })
}

/// The sending end.
pub fn send(mtu: u32, to: &str, time: Duration) -> io::Result<u64> {
    let bad = || io::Error::other("address and certificate");
    let (address, hex) = to.split_once(' ').ok_or_else(bad)?;
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).map_err(other);
    let der: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(byte)
        .collect::<Result<_, _>>()?;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(der)).map_err(other)?;
    let tls = rustls::ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let quic = QuicClientConfig::try_from(tls).map_err(other)?;
    let mut cfg = quinn::ClientConfig::new(Arc::new(quic));
    cfg.transport_config(transport(mtu));
    let address = address.parse().map_err(other)?;
    runtime()?.block_on(async move {
        let endpoint = quinn::Endpoint::client(any())?;
        let connecting = endpoint
            .connect_with(cfg, address, "localhost")
            .map_err(other)?;
        let connection = connecting.await.map_err(other)?;
        let mut stream = connection.open_uni().await.map_err(other)?;
        let bytes = vec![7; PIECE];
        let began = Instant::now();
        let mut total = 0;
        while began.elapsed() < time {
            total += stream.write(&bytes).await.map_err(other)? as u64;
        }
        stream.finish().map_err(other)?;
        stream.stopped().await.map_err(other)?;
        connection.close(0u32.into(), b"done");
        endpoint.wait_idle().await;
        Ok(total)
    })
}
