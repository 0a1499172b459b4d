//! Other people's clients. What is not installed is skipped, and says so.

use crate::stage::{Stage, soon};
use plimsoll_server::Endpoint;
use plimsoll_skipped::machine::Loop;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const LUN: usize = 1;

/// Runs a program; `None` when it is not installed.
fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            plimsoll_skipped::skipped!("{program}: {error}");
            return None;
        }
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    Some(output)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A file with 3 MiB of noise after 1 MiB of nothing, as long as the LUN.
fn image(path: &Path, len: u64) -> Vec<u8> {
    let noise = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u8;
    let mut bytes = vec![0; len as usize];
    for (i, byte) in (0..).zip(&mut bytes[1 << 20..4 << 20]) {
        *byte = noise(i);
    }
    std::fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn nbdinfo_lists_and_describes() {
    let stage = Stage::new();
    let uri = stage.server.uri(0, LUN);
    let Some(info) = run("nbdinfo", &["--json", &uri]) else {
        return;
    };
    let info: serde_json::Value = serde_json::from_str(&text(&info)).unwrap();
    let export = &info["exports"][0];
    assert_eq!(export["export-name"], "scale-out-flash-8/lun1");
    assert_eq!(export["export-size"], 64 << 20);
    assert_eq!(export["can_multi_conn"], true);
    assert_eq!(export["block_size_maximum"], 32 << 20);
    let list = run("nbdinfo", &["--list", &uri]).unwrap();
    assert!(text(&list).contains("export=\"scale-out-flash-8/lun0\""));
}

#[test]
fn nbdcopy_brings_a_sparse_image_in_and_out_and_nbdinfo_sees_its_holes() {
    let stage = Stage::new();
    let uri = stage.server.uri(0, LUN);
    let [from, to] = ["from", "to"].map(|name| stage.folder.path().join(name));
    let bytes = image(&from, stage.server.lun_bytes());
    if run("nbdcopy", &[from.to_str().unwrap(), &uri]).is_none() {
        return;
    }
    run("nbdcopy", &[&uri, to.to_str().unwrap()]);
    assert!(std::fs::read(to).unwrap() == bytes);
    let map = text(&run("nbdinfo", &["--map", &uri]).unwrap());
    let lines: Vec<Vec<_>> = map
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(lines[1][..2], ["1048576", "3145728"], "{map}");
    assert_eq!(lines[1][3], "data");
    assert_eq!(lines.len(), 3, "{map}");
}

#[test]
fn qemu_img_converts_and_finds_both_equal() {
    let stage = Stage::new();
    let uri = stage.server.uri(1, LUN);
    let from = stage.folder.path().join("from");
    image(&from, stage.server.lun_bytes());
    let from = from.to_str().unwrap();
    if run(
        "qemu-img",
        &["convert", "-n", "-f", "raw", "-O", "raw", from, &uri],
    )
    .is_none()
    {
        return;
    }
    let compared = run(
        "qemu-img",
        &["compare", "-f", "raw", "-F", "raw", from, &uri],
    )
    .unwrap();
    assert!(text(&compared).contains("identical"));
}

#[test]
fn fio_finds_again_what_it_wrote_with_the_models_timing() {
    let stage = Stage::with(|o| o.timing = true);
    let engines = run("fio", &["--enghelp"]);
    if engines.is_none_or(|engines| !text(&engines).contains("nbd")) {
        plimsoll_skipped::skipped!("fio has no nbd engine");
        return;
    }
    let uri = format!("--uri={}", stage.server.uri(0, LUN));
    let mut job = vec![
        "--name=verify",
        "--ioengine=nbd",
        &uri,
        "--rw=randwrite",
        "--bsrange=512-64k",
    ];
    job.extend([
        "--size=4M",
        "--iodepth=16",
        "--verify=crc32c",
        "--verify_fatal=1",
        // Else it leaves a file where the tests run.
        "--verify_state_save=0",
    ]);
    run("fio", &job);
    let status = stage.server.status();
    assert!(status.front_end.writes.bytes >= 4 << 20 && status.lag.count > 0);
    assert_eq!(status.front_end.failed, 0);
}

#[test]
fn nbdfuse_makes_a_file_of_a_lun_and_a_loop_device_of_that() {
    let stage = Stage::new();
    let file = stage.folder.path().join("lun");
    std::fs::write(&file, "").unwrap();
    let mut nbdfuse = match Command::new("nbdfuse")
        .arg(&file)
        .arg(stage.server.uri(0, LUN))
        .spawn()
    {
        Ok(child) => child,
        Err(error) => return plimsoll_skipped::skipped!("nbdfuse: {error}"),
    };
    let mounted = || {
        file.metadata()
            .is_ok_and(|m| m.len() == stage.server.lun_bytes())
    };
    // Where it may not mount, it ends.
    soon(|| mounted() || nbdfuse.try_wait().unwrap().is_some());
    if mounted() {
        let device = loop_device(&file);
        let place = device.as_ref().map_or(file.as_path(), |d| &d.device);
        let place = place.display();
        let through = [format!("of={place}"), format!("if={place}")];
        run(
            "dd",
            &[
                "if=/dev/zero",
                &through[0],
                "bs=64k",
                "count=1",
                "conv=notrunc,fsync",
            ],
        );
        run("dd", &[&through[1], "of=/dev/null", "bs=4096", "count=64"]);
        drop(device);
        assert!(stage.server.status().luns[LUN].writes.bytes >= 65_536);
        run("fusermount3", &["-u", file.to_str().unwrap()]);
    } else {
        plimsoll_skipped::skipped!("nbdfuse cannot mount here");
    }
    nbdfuse.wait().unwrap();
}

/// A loop device over a file; `None` where there can be none.
fn loop_device(file: &Path) -> Option<Loop> {
    Loop::over(file, &[])
        .inspect_err(|why| plimsoll_skipped::skipped!("the loop device: {why}"))
        .ok()
}

#[test]
fn tcp_paths_get_ports_of_their_own_and_lead_to_the_same_data() {
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    let stage = Stage::with(|o| o.endpoints = vec![Endpoint::Tcp(any), Endpoint::Tcp(any)]);
    let [one, two] = [0, 1].map(|path| stage.server.uri(path, LUN));
    assert_ne!(one, two);
    let image_file = stage.folder.path().join("image");
    let bytes = image(&image_file, stage.server.lun_bytes());
    let copy = stage.folder.path().join("copy");
    if run("nbdcopy", &[image_file.to_str().unwrap(), &one]).is_some() {
        run("nbdcopy", &[&two, copy.to_str().unwrap()]);
        assert!(std::fs::read(copy).unwrap() == bytes);
        assert!(stage.server.status().paths.iter().all(|p| p.requests > 0));
    }
}
