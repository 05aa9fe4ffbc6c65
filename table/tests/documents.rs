//! The page about the table covers all operations.

const PAGE: &str = include_str!("../../docs/table.md");

#[tokio::test]
async fn the_page_names_every_operation() {
    let document = crate::common::server::Server::new(&[]).get("/api").await.json;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            let operation = format!("`{} {path}`", method.to_uppercase());
            assert!(PAGE.contains(&operation), "{operation}");
        }
    }
}
