//! Suggestions for misspelt names.

/// Returns the known name nearest to `name` as "did you mean", or nothing if none is near enough.
///
/// # Examples
/// ```
/// use matches::spelling::did_you_mean;
///
/// assert_eq!(did_you_mean("Hsah", ["Hash", "Threads"]), " (did you mean \"Hash\"?)");
/// assert_eq!(did_you_mean("Book", ["Hash", "Threads"]), "");
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let nearness = |known: &str| strsim::jaro_winkler(name, known);
    let known = known.into_iter();
    let nearest = known.max_by(|one, other| nearness(one).total_cmp(&nearness(other)));
    match nearest.filter(|known| nearness(known) > 0.8) {
        Some(nearest) => format!(" (did you mean {nearest:?}?)"),
        None => String::new(),
    }
}
