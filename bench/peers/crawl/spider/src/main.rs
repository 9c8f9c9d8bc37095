//! spider on the synthetic web: follow every link; with a file, write each page as WARC.
//!
//!     spider-peer <pages> <concurrency> <file.warc or -> <seed>…
//!
//! prints {"pages":…,"stored":…,"cpuSeconds":…,"seconds":…,"maxRssBytes":…}
//!
//! spider resolves the relative links of all hosts against its first URL, so some answers are 404.
//! They count as pages, which favours the peer.
use spider::reqwest::dns::{Addrs, Name, Resolve, Resolving};
use spider::tokio;
use spider::utils::warc::WarcConfig;
use spider::website::Website;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Every name of the synthetic web is served at 127.0.0.1; a look-up that costs nothing favours the
/// peer.
struct Loopback;

impl Resolve for Loopback {
    fn resolve(&self, _name: Name) -> Resolving {
        Box::pin(std::future::ready(Ok(
            Box::new(std::iter::once(SocketAddr::from(([127, 0, 0, 1], 0)))) as Addrs,
        )))
    }
}

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (pages, concurrency) = (args[1].parse().unwrap(), args[2].parse().unwrap());
    let (file, seeds) = (args[3].as_str(), &args[4..]);

    let fetched = Arc::new(AtomicU64::new(0));
    let counter = fetched.clone();
    let mut website = Website::new(&seeds[0]);
    website
        .with_limit(pages)
        .with_concurrency_limit(Some(concurrency))
        .with_external_domains(Some(std::iter::once("*".to_string())))
        .with_on_should_crawl_callback_closure(Some(move |_page: &spider::page::Page| {
            counter.fetch_add(1, Ordering::Relaxed);
            true
        }));
    if file != "-" {
        website.configuration.with_warc(WarcConfig { path: file.into(), ..WarcConfig::default() });
    }
    website.set_extra_links(seeds.iter().map(|seed| seed.as_str().into()).collect());
    let client = website.configure_http_client_builder().dns_resolver(Arc::new(Loopback));
    website.set_http_client(client.build().unwrap());

    let (before, started) = (usage(), Instant::now());
    website.crawl().await;
    let fetched = fetched.load(Ordering::Relaxed);
    if let Some(writer) = website.get_warc_writer() {
        // Its records arrive through a channel that drops pages when it is full.
        let patience = Instant::now() + Duration::from_secs(2);
        while writer.record_count() <= fetched && Instant::now() < patience {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        writer.flush().await.unwrap();
    }
    let after = usage();
    println!(
        "{{\"pages\":{},\"stored\":{},\"cpuSeconds\":{},\"seconds\":{},\"maxRssBytes\":{}}}",
        fetched,
        website.warc_record_count().saturating_sub(1),
        after.0 - before.0,
        started.elapsed().as_secs_f64(),
        after.1,
    );
}

/// Processor time in seconds, and the largest resident set in bytes.
fn usage() -> (f64, i64) {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let of = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (of(usage.ru_utime) + of(usage.ru_stime), usage.ru_maxrss * 1024)
}
