//! Checking and tuning the evaluation, compared with a slow count.

use buxtehude::articles::etudes::Etude;
use buxtehude::articles::evaluation::{Factors, Terms, terms};
use buxtehude::rules::hase::HASE_UND_IGEL;
use buxtehude::rules::{Game, Seat};

use super::folder::{Folder, Ran, fine, refused};

/// Terms of each seat of an etude, and the etude's verdict.
fn terms_of(line: &str) -> (Vec<Terms>, Option<usize>) {
    let etude = Etude::parse(&HASE_UND_IGEL, line).unwrap();
    let seats = Seat::all(etude.position.seats());
    let terms = seats.map(|seat| terms(&etude.position, seat)).collect();
    (terms, etude.winner.map(Seat::index))
}

/// Etudes whose verdicts no triple of factors explains completely.
const SET: &[&str] = &[
    "45;26;2;f;29;19;0;f;2", "45;26;2;f;29;19;0;f;1", "20;60;3;f;30;20;2;f;1",
    "50;5;1;f;30;80;1;f;33;60;0;f;2", "35;40;1;f;28;95;1;f;1", "23;44;2;f;28;15;1;f;2",
    "55;70;0;f;48;60;0;f;2", "12;70;3;f;16;52;3;f;9;90;3;f;3", "41;30;1;f;44;24;2;f;1",
    "36;50;2;f;18;99;2;f;2", "27;30;0;f;38;20;2;f;-", "0;68;3;f;0;68;3;f;1",
];

#[test]
fn a_check_counts_as_a_hit_what_is_strictly_the_largest() {
    let folder = Folder::with(SET.join("\r\n").as_bytes());
    folder.write(
        "y.factors",
        b"\nsetoption name Kp value 170\r\nsetoption  name ks value 0\nsetoption name Kc \
        value 1000\n",
    );
    let preset = Factors::default();
    let preset = [preset.lettuces, preset.carrots, preset.path];
    for (options, [ks, kc, kp]) in [
        ("", preset),
        ("--ks 50 --kp 130", [50, preset[1], 130]),
        ("--kp 0 --kc 0 --ks 1000", [1000, 0, 0]),
        ("--factors y.factors", [0, 1000, 170]),
        ("--kc 70 --factors y.factors", [0, 70, 170]),
        ("--ks 0 --kc 0 --kp 0", [0, 0, 0]),
    ] {
        let mut expected = format!(
            "factors in hundredths: Ks {ks}, Kc {kc}, Kp {kp}\n  line  verdict  result  E of each seat, in hundredths\n"
        );
        let (mut hits, mut judged) = (0, 0);
        for (index, line) in SET.iter().enumerate() {
            let (terms, Some(winner)) = terms_of(line) else {
                continue;
            };
            let worths: Vec<i32> = terms
                .iter()
                .map(|terms| ks * terms.lettuces + kc * terms.carrots + kp * terms.path)
                .collect();
            let largest = worths.iter().max().unwrap();
            let number = worths.iter().filter(|worth| *worth == largest).count();
            let hit = worths[winner] == *largest && number == 1;
            let columns: String = worths.iter().map(|worth| format!("{worth:>9}")).collect();
            let result = if hit { "hit " } else { "miss" };
            expected += &format!("{:>6}  {:>7}  {result}{columns}\n", index + 1, winner + 1);
            hits += usize::from(hit);
            judged += 1;
        }
        let percent = 100.0 * hits as f64 / f64::from(judged);
        expected += &format!("hits {hits} of {judged} ({percent:.1} %), 1 unjudged\n");
        let ran = folder.etudes(&format!("check x.csv {options}"));
        assert_eq!(ran, fine(&expected), "{options}");
        assert!(expected.contains("    12        1  miss"), "{expected}");
    }
    let ran = Folder::with(b"27;30;0;f;38;20;2;f;-\n").etudes("check x.csv");
    assert!(ran.output.ends_with("\nhits 0 of 0, 1 unjudged\n"), "{ran:?}");
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_file_without_factors_is_refused() {
    let folder = Folder::with(SET.join("\n").as_bytes());
    let expected =
        "expected `setoption name Ks|Kc|Kp value N`, each once, N a whole number from 0 to 1000";
    let [ks, kp] = ["Ks", "Kp"].map(|name| format!("setoption name {name} value 100"));
    let missing = |name| format!("y: {name} is missing: expected `setoption name {name} value N`");
    for (text, error) in [
        ("", missing("Ks")),
        (&format!("{ks}\n{kp}\n"), missing("Kc")),
        (&format!("{ks}\n\n{ks}\n"), format!("y:3: found {ks:?}: {expected}")),
    ] {
        folder.write("y", text.as_bytes());
        let ran = folder.etudes("check x.csv --factors y");
        assert_eq!(ran, refused(&format!("{error}\n")));
    }
    for text in ["setoption name Kx value 100", "setoption name Ks value 1001", "Ks 100"] {
        folder.write("y", text.as_bytes());
        let ran = folder.etudes("check x.csv --factors y");
        assert_eq!(ran, refused(&format!("y:1: found {text:?}: {expected}\n")));
    }
    let ran = folder.etudes("check x.csv --factors z");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let expected = "expected a file written by `tune --save`\n";
    assert!(
        ran.errors.starts_with("z: cannot be read: ") && ran.errors.ends_with(expected),
        "{ran:?}"
    );
}

/// Counts the hits of each triple in tenths; returns the maximum and the triples that reach it.
fn best_triples() -> (usize, Vec<[i32; 3]>) {
    let mut best = (0, Vec::new());
    for ks in 5..=20 {
        for kc in 5..=20 {
            for kp in 5..=20 {
                let is_hit = |line: &&&str| {
                    let (terms, Some(winner)) = terms_of(line) else {
                        return false;
                    };
                    let worth =
                        |terms: &Terms| ks * terms.lettuces + kc * terms.carrots + kp * terms.path;
                    let mut ranking: Vec<usize> = (0..terms.len()).collect();
                    ranking.sort_by_key(|&seat| -worth(&terms[seat]));
                    ranking[0] == winner && worth(&terms[ranking[0]]) > worth(&terms[ranking[1]])
                };
                let hits = SET.iter().filter(is_hit).count();
                if hits > best.0 {
                    best = (hits, Vec::new());
                }
                if hits == best.0 {
                    best.1.push([ks, kc, kp]);
                }
            }
        }
    }
    best
}

/// The first of the triples nearest to their mean.
fn nearest_to_mean(triples: &[[i32; 3]]) -> [i32; 3] {
    let mean = [0, 1, 2].map(|i| {
        let sum: i32 = triples.iter().map(|triple| triple[i]).sum();
        f64::from(sum) / triples.len() as f64
    });
    let distance = |triple: &[i32; 3]| {
        let squares = (0..3).map(|i| (f64::from(triple[i]) - mean[i]).powi(2));
        squares.sum::<f64>()
    };
    let mut nearest = triples[0];
    for triple in triples {
        // The tolerance is far below the difference of distinct distances and above the rounding error of equal ones.
        if distance(triple) < distance(&nearest) - 1e-9 {
            nearest = *triple;
        }
    }
    nearest
}

#[test]
fn tuning_finds_the_triples_with_the_most_hits_and_saves_their_middle() {
    let folder = Folder::with(SET.join("\n").as_bytes());
    let (hits, triples) = best_triples();
    let judged = SET.len() - 1;
    let number = triples.len();
    assert!((6..judged).contains(&hits), "{hits} hits show little");
    assert!((2..2048).contains(&number), "{number} triples show little");
    let mut expected = format!(
        "best {hits} of {judged} ({:.1} %), reached by {number} of 4096 triples, in hundredths:\n   Ks   Kc   Kp\n",
        100.0 * hits as f64 / judged as f64
    );
    for [ks, kc, kp] in &triples {
        expected += &format!("{:>5}{:>5}{:>5}\n", 10 * ks, 10 * kc, 10 * kp);
    }
    let [ks, kc, kp] = nearest_to_mean(&triples).map(|factor| 10 * factor);
    expected += &format!("nearest to their mean: Ks {ks}, Kc {kc}, Kp {kp}\n");
    for _ in 0..3 {
        assert_eq!(folder.etudes("tune x.csv"), fine(&expected));
    }
    assert_eq!(folder.names(), ["x.csv"]);

    expected += "saved to x.factors\n";
    for _ in 0..2 {
        assert_eq!(folder.etudes("tune --save x.csv"), fine(&expected));
        assert_eq!(folder.names(), ["x.csv", "x.factors"]);
        let saved = format!(
            "setoption name Ks value {ks}\nsetoption name Kc value {kc}\nsetoption name Kp value {kp}\n"
        );
        assert_eq!(String::from_utf8(folder.read("x.factors")).unwrap(), saved);
    }
    let ran = folder.etudes("check x.csv --factors x.factors");
    let (from_file, given) =
        (ran, folder.etudes(&format!("check x.csv --ks {ks} --kc {kc} --kp {kp}")));
    assert_eq!(from_file, given);
    let sum = format!("\nhits {hits} of {judged} (");
    assert!(given.output.contains(&sum), "{given:?}");
}

#[cfg(unix)]
#[test]
fn factors_are_saved_whether_or_not_the_table_is_read_to_its_end() {
    let folder = Folder::with(SET.join("\n").as_bytes());
    let ran = folder.shell("\"$ENGINE\" etudes tune x.csv --save | true");
    assert_eq!(ran, fine(""));
    let ran = folder.etudes("check x.csv --factors x.factors");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn factors_never_replace_the_etudes() {
    let folder = Folder::new();
    let set = SET.join("\n");
    folder.write("x.factors", set.as_bytes());
    let errors = "x.factors: the factors would be saved over the etudes: \
        expected an extension other than .factors\n";
    assert_eq!(folder.etudes("tune x.factors --save"), refused(errors));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("x.factors", folder.0.path().join("x.csv")).unwrap();
        assert_eq!(folder.etudes("tune x.csv --save"), refused(errors));
    }
    assert_eq!(folder.read("x.factors"), set.as_bytes());
    assert_eq!(folder.etudes("tune x.factors").code, Some(0));
}

#[test]
fn there_is_nothing_to_tune_on_without_a_verdict() {
    let folder = Folder::with(b"27;30;0;f;38;20;2;f;-\n");
    let expected = Ran {
        code: Some(1),
        output: String::new(),
        errors: "x.csv: no etude is judged: expected at least one\n".into(),
    };
    assert_eq!(folder.etudes("tune x.csv --save"), expected);
    assert_eq!(folder.names(), ["x.csv"]);
}
