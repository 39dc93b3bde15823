//! Fuzzes url. The crate ada-url must agree on all parts of a URL after references and setters have
//! changed it. Reading a printed URL must change nothing, and equivalent sentences must have equal results.
#![no_main]

use ada_url::Url as Ada;
use url::{Url, quirks as q};

zester::fuzz_target!(grammar: "../../grammars/url.ebnf", equal: true, |text: &str| -> Result<String, String> {
    let ada = |text: &str| ada(text).map(|(parts, again)| stable(parts, again, "ada-url again"));
    let url = |text: &str| url(text).map(|(parts, again)| stable(parts, again, "url again"));
    zester::oracle::agree(text, url, ada).map(|parts| parts.href)
});

/// The parts of a URL.
#[derive(Debug, Clone, PartialEq)]
struct Parts {
    href: String,
    origin: String,
    others: [String; 9],
}

/// Compares the parts of a URL with those of the printed URL.
fn stable(parts: Parts, again: Result<Parts, String>, name: &str) -> Parts {
    zester::same!(Ok(parts.clone()), again, name);
    parts
}

/// Splits the URL of the first line and the changes of the other lines.
fn lines(text: &str) -> (&str, impl Iterator<Item = (&str, &str)>) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    (
        first,
        rest.split('\n').filter_map(|line| line.split_once('=')),
    )
}

fn url(text: &str) -> Result<(Parts, Result<Parts, String>), String> {
    let read = |text: &str| Url::parse(text).map_err(|error| error.to_string());
    let parts = |url: &Url| Parts {
        href: q::href(url).into(),
        origin: q::origin(url),
        others: [
            q::protocol(url),
            q::username(url),
            q::password(url),
            q::host(url),
            q::hostname(url),
            q::port(url),
            q::pathname(url),
            q::search(url),
            q::hash(url),
        ]
        .map(String::from),
    };
    let (first, changes) = lines(text);
    let mut url = read(first)?;
    for (what, value) in changes {
        match what {
            "resolve" => url = url.join(value).map_err(|error| error.to_string())?,
            "protocol" => drop(q::set_protocol(&mut url, value)),
            "username" => drop(q::set_username(&mut url, value)),
            "password" => drop(q::set_password(&mut url, value)),
            "host" => drop(q::set_host(&mut url, value)),
            "hostname" => drop(q::set_hostname(&mut url, value)),
            "port" => drop(q::set_port(&mut url, value)),
            "pathname" => q::set_pathname(&mut url, value),
            "search" => q::set_search(&mut url, value),
            _ => q::set_hash(&mut url, value),
        }
    }
    Ok((parts(&url), read(url.as_str()).map(|url| parts(&url))))
}

fn ada(text: &str) -> Result<(Parts, Result<Parts, String>), String> {
    let read =
        |text: &str, base: Option<&str>| Ada::parse(text, base).map_err(|error| error.to_string());
    let parts = |url: &Ada| Parts {
        href: url.href().into(),
        origin: url.origin(),
        others: [
            url.protocol(),
            url.username(),
            url.password(),
            url.host(),
            url.hostname(),
            url.port(),
            url.pathname(),
            url.search(),
            url.hash(),
        ]
        .map(String::from),
    };
    let (first, changes) = lines(text);
    let mut url = read(first, None)?;
    for (what, value) in changes {
        match what {
            "resolve" => url = read(value, Some(url.href()))?,
            "protocol" => drop(url.set_protocol(value)),
            "username" => drop(url.set_username(Some(value))),
            "password" => drop(url.set_password(Some(value))),
            "host" => drop(url.set_host(Some(value))),
            "hostname" => drop(url.set_hostname(Some(value))),
            "port" => drop(url.set_port(Some(value))),
            "pathname" => drop(url.set_pathname(Some(value))),
            "search" => url.set_search(Some(value)),
            _ => url.set_hash(Some(value)),
        }
    }
    Ok((parts(&url), read(url.href(), None).map(|url| parts(&url))))
}
