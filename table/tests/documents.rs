//! The page about the table covers all options and operations.

use clap::CommandFactory;
use table::args::Cli;

const PAGE: &str = include_str!("../../docs/table.md");

#[test]
fn the_page_names_every_option_with_its_default() {
    let command = Cli::command();
    let options: Vec<_> = command
        .get_arguments()
        .filter(|option| option.get_long().is_some())
        .collect();
    assert!(options.len() > 15);
    for option in options {
        let flag = format!("`--{}", option.get_long().unwrap());
        let row = PAGE
            .lines()
            .find(|line| line.starts_with('|') && line.contains(&flag));
        let row = row.unwrap_or_else(|| panic!("{flag}` has no row"));
        for default in option.get_default_values() {
            let default = default.to_str().unwrap();
            assert!(row.contains(default), "{flag}`: {default}: {row}");
        }
    }
}

#[tokio::test]
async fn the_page_names_every_operation() {
    let document = crate::common::server::Server::new(&[])
        .get("/api")
        .await
        .json;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let operation = format!("`{} {path}`", method.to_uppercase());
            assert!(PAGE.contains(&operation), "{operation}");
        }
    }
}
