// Google's robots.txt matcher (the crate robotstxt, a port): reads lines "file TAB agent TAB url"
// and prints 1 for each URL that may be fetched, 0 for each that may not.
use std::io::{self, BufRead, Write};
use robotstxt::DefaultMatcher;
fn main() {
    let out = io::stdout();
    let mut out = io::BufWriter::new(out.lock());
    let mut name = String::new();
    let mut body = String::new();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut parts = line.split('\t');
        let file = parts.next().unwrap();
        if file != name {
            name = file.to_string();
            body = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        }
        let (agent, url) = (parts.next().unwrap(), parts.next().unwrap());
        let ok = DefaultMatcher::default().one_agent_allowed_by_robots(&body, agent, url);
        writeln!(out, "{}", ok as u8).unwrap();
    }
}
