//! What the models of the pipeline are shown of files: names before details, limits that hold, and promises that are kept.

use std::fmt::Write as _;

use crate::scope::desk::{ANSWER, Desk, explored};
use crate::scope::server::{OPENAI, Reply, Request, Server};
use crate::support::Project;

/// A method whose body has `lines` lines, the last with `marker`.
fn method(name: &str, lines: usize, marker: &str) -> String {
    let mut text = format!("    def {name}(self, parcel, depot):\n");
    for line in 1..lines {
        let _ = writeln!(text, "        step_{line} = parcel.weigh({line}, 'a word of some length')");
    }
    let _ = writeln!(text, "        return {marker}\n");
    text
}

/// A class that is far longer than all that is shown of a file.
fn large_class() -> String {
    let mut text = "class Sorter:\n    \"\"\"Sends parcels again to busy depots.\"\"\"\n\n".to_owned();
    for number in 0..30 {
        text.push_str(&method(&format!("sort_parcel_{number}"), 40, &format!("marker_of_{number}")));
    }
    text
}

/// What a request shows of a file, without the marks around it.
fn shown_of_file(request: &Request, path: &str) -> String {
    let text = request.text();
    let mut shown = String::new();
    for part in text.split("<data id=").skip(1).filter(|part| part.contains(&format!("of=\"{path}\">"))) {
        let inner = part.split_once(">\n").map_or("", |(_, rest)| rest);
        shown.push_str(inner.split("</data id=").next().unwrap_or(""));
    }
    shown
}

#[test]
fn the_first_request_names_every_method_of_what_it_shows() {
    let project = Project::new("//- README.md\n# Parcels\n");
    for file in 0..6 {
        let mut text = String::new();
        for class in ["Depot", "BusyDepot"] {
            let _ = writeln!(text, "class {class}{file}:\n    room: int = 3\n");
            for name in 0..25 {
                text.push_str(&method(&format!("send_again_{name}"), 4, "parcel"));
            }
        }
        project.write(&format!("src/depot_{file}.py"), &text);
    }
    let desk = Desk::of(project);
    let server =
        Server::of(vec![explored(&["src/depot_0.py:Depot0.send_again_3"], &[], true), Reply::Say(ANSWER.to_owned())]);
    desk.ask(&server, OPENAI, &[]);
    let first = &server.requests()[0];
    for file in 0..6 {
        let shown = shown_of_file(first, &format!("src/depot_{file}.py"));
        for name in 0..25 {
            let named = shown.matches(&format!("send_again_{name}(")).count();
            assert_eq!(named, 2, "both classes name it with its parameters: {shown}");
        }
        assert!(shown.contains("parcel, depot)"), "{shown}");
        assert!(shown.contains("field 2") || shown.contains("room"), "what is left out is counted by kind: {shown}");
    }
}

#[test]
fn the_limits_are_reached_and_a_setting_makes_them_smaller() {
    let project = Project::new("//- README.md\n# Parcels\n");
    for file in 0..14 {
        let mut text = format!("class BusyDepot{file}:\n");
        for name in 0..400 {
            text.push_str(&method(&format!("send_parcel_again_{name}"), 2, "parcel"));
        }
        project.write(&format!("src/busy_depot_{file}.py"), &text);
    }
    let desk = Desk::of(project);
    let shown = |settings: &[(&str, &str)]| {
        let server = Server::of(vec![explored(&["BusyDepot0"], &[], true), Reply::Say(ANSWER.to_owned())]);
        let mut command = desk.asking(&server, OPENAI, &[]);
        command.envs(settings.iter().copied());
        assert!(command.output().expect("the program runs").status.code().is_some());
        let requests = server.requests();
        let of = |request: &Request| {
            let files: Vec<usize> = (0..14)
                .map(|file| shown_of_file(request, &format!("src/busy_depot_{file}.py")).chars().count())
                .collect();
            (files.iter().sum::<usize>(), files.into_iter().max().unwrap_or(0))
        };
        (of(&requests[0]), of(requests.last().expect("a request")))
    };
    let ((all, most), (written, most_written)) = shown(&[]);
    assert!(all > 40_000 && all <= 80_000, "names of large files go beyond the aim: {all}");
    assert!(most > 5_000 && most <= 8_000, "{most}");
    assert!(written > 3_000 && most_written <= 15_000, "{written}, {most_written}");
    let ((all, most), _) = shown(&[("PEELBACK_EXPLORATION_AIM_CHARS", "160000")]);
    assert!(all > 60_000 && all <= 80_000 && most <= 8_000, "an aim may be as high as the limit: {all}, {most}");
    let smaller = [("PEELBACK_EXPLORATION_CHARS", "6000"), ("PEELBACK_WRITING_CHARS", "6000")];
    let ((all, _), (written, _)) = shown(&smaller);
    assert!(all <= 6_000 && all > 3_000, "{all}");
    assert!(written <= 6_000, "{written}");
}

#[test]
fn what_the_explorer_is_promised_reaches_the_writer() {
    let desk = Desk::with(&[("src/sorter.py", &large_class())]);
    let wanted: Vec<String> = (0..9).map(|number| format!("src/sorter.py:Sorter.sort_parcel_{number}")).collect();
    let wanted: Vec<&str> = std::iter::once("src/sorter.py:Sorter")
        .chain(wanted.iter().map(String::as_str))
        .chain(["src/client.py:Client.send", "src/depot.py:Depot.accept"])
        .collect();
    let server =
        Server::of(vec![explored(&wanted, &[], false), explored(&[], &[], true), Reply::Say(ANSWER.to_owned())]);
    let run = desk.ask(&server, OPENAI, &[]);
    let requests = server.requests();
    assert_eq!((run.code, requests.len()), (Some(0), 3), "{run:?}");
    let (second, writing) = (requests[1].text(), requests[2].text());
    let mut promised = 0;
    for note in second.lines().filter(|line| line.contains("; the writer gets it whole)")) {
        let name = note.trim_start_matches("- ").split(" (").next().and_then(|id| id.rsplit('.').next());
        let number = name.and_then(|name| name.rsplit('_').next()).expect("a method");
        assert!(writing.contains(&format!("return marker_of_{number}\n")), "{note}\n{writing}");
        promised += 1;
    }
    assert!(promised >= 3, "{second}");
    assert!(
        writing.contains("marker_of_send") && writing.contains("marker_of_depot"),
        "a class leaves room for others"
    );
    // Of the class itself the writer has a view that names what was not asked for, without the bodies.
    let sorter = shown_of_file(&requests[2], "src/sorter.py");
    assert!(sorter.contains("sort_parcel_29") && !sorter.contains("marker_of_29"), "{sorter}");
    assert!(sorter.chars().count() <= 15_000, "{}", sorter.chars().count());
    let not_shown = writing.split("Not shown to you").nth(1).and_then(|rest| rest.split("</data").next()).unwrap_or("");
    assert!(!not_shown.contains("no room"), "{not_shown}");
}

#[test]
fn long_bodies_share_the_second_request_so_that_each_is_seen() {
    let desk = Desk::with(&[("src/sorter.py", &large_class())]);
    let wanted: Vec<String> = (0..12).map(|number| format!("src/sorter.py:Sorter.sort_parcel_{number}")).collect();
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let server =
        Server::of(vec![explored(&wanted, &[], false), explored(&[], &[], true), Reply::Say(ANSWER.to_owned())]);
    desk.ask(&server, OPENAI, &[]);
    let second = shown_of_file(&server.requests()[1], "src/sorter.py");
    for number in 0..12 {
        assert!(second.contains(&format!("def sort_parcel_{number}(")), "{number}: {second}");
    }
}
