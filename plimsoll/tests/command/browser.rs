//! A real browser, where there is one.

use std::path::Path;
use std::process::Command;

const BROWSERS: [&str; 3] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
];

/// A page as it is once its scripts have run; `None` without a browser.
pub fn after_its_scripts(page: &Path) -> Option<String> {
    // Its data is opened behind the `load` event, at which the browser is done but for this.
    shown(
        &format!("file://{}", page.display()),
        &["--virtual-time-budget=20000"],
    )
}

/// The same of a page at an address.
pub fn at(address: &str) -> Option<String> {
    shown(address, &[])
}

fn shown(address: &str, more: &[&str]) -> Option<String> {
    let named = std::env::var_os("CHROMIUM").map(Into::into);
    let installed = BROWSERS.iter().map(Path::new).find(|path| path.exists());
    let Some(browser) = named.or(installed.map(Path::to_path_buf)) else {
        plimsoll_skipped::skipped!("what a browser makes of {address} needs Chromium");
        return None;
    };
    let profile = tempfile::tempdir().expect("a folder");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .args(more)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(address)
        .output()
        .expect("the browser starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("<title>"), "{output:?}");
    Some(text)
}
