//! Keys and labels of coordinators and workers, and signatures of their messages.
//!
//! Any user can make the server write to almost any subject: the server does not check the reply subject of a
//! request. So recipients believe only what a key has signed. A signed message is a line with the key and the
//! signature, then the content. The signature also covers the message's scope, the subject or the key of a bucket where
//! it is published, so that it is valid nowhere else.

use std::borrow::Borrow;
use std::fmt;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use data_encoding::BASE64URL_NOPAD;
use matches::input_file::text_of;
use matches::own_files::user_folder;
use matches::run::exit::print_error;
use nkeys::{KeyPair, KeyPairType};
use rustix::system::uname;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use thiserror::Error;

/// Beginning of all signed bytes. It is not UTF-8, so that no text is valid as a signed message: a client signs any
/// text that the server sends as a nonce, with the same key.
const BEGINNING: &[u8] = b"\xfffleet ";
/// Maximum length of the line with key and signature.
const MAX_OF_THE_LINE: usize = 160;
/// Letters of a key that identify it.
const LETTERS_OF_AN_ID: usize = 16;
/// Name of a kept key in errors.
const KEPT_KEY: &str = "key of this user, else --nkey";
/// Permissions that a file with a secret must not have.
const OF_OTHERS: u32 = 0o077;

/// Public key of a coordinator or a worker: an nkey of a NATS user, which begins with U.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key(String);

/// The reason why a text is no key, or a message not the expected signer's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SignatureError(String);

/// A file with a key or a certificate cannot be used.
#[derive(Debug, Error)]
#[error("{flag}: {}: {reason}", path.display())]
pub struct FileError {
    pub flag: &'static str,
    pub path: PathBuf,
    pub reason: io::Error,
}

impl FromStr for Key {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Key, SignatureError> {
        verifier(text)?;
        Ok(Key(text.to_string()))
    }
}

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Key {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first letters of the key: 72 bits of it, too many for an attacker to find another key with the same ones.
    pub fn id(&self) -> &str {
        id_of(&self.0)
    }

    /// Returns the content of a message that this key has signed.
    ///
    /// # Errors
    /// [`SignatureError`] if it has not.
    pub fn open<'a>(&self, bytes: &'a [u8], scope: &str) -> Result<&'a [u8], SignatureError> {
        match open(bytes, scope)? {
            (by, content) if by == *self => Ok(content),
            (by, _) => Err(SignatureError(format!("signed by {by}, expected {self}"))),
        }
    }
}

pub fn id_of(key: &str) -> &str {
    key.get(..LETTERS_OF_AN_ID).unwrap_or(key)
}

/// Name of a worker in stores and tables: its label, and the id of its key.
pub fn name_of(label: &str, key: &Key) -> String {
    format!("{label}-{}", key.id())
}

/// The id of the key in a worker's name.
pub fn id_in(name: &str) -> &str {
    let begin = name.len().saturating_sub(LETTERS_OF_AN_ID);
    name.get(begin..).unwrap_or(name)
}

/// Returns the content of a message, and the key that has signed it.
///
/// # Errors
/// [`SignatureError`] if no key has signed it for this scope.
pub fn open<'a>(bytes: &'a [u8], scope: &str) -> Result<(Key, &'a [u8]), SignatureError> {
    let missing = || SignatureError("no signature".to_string());
    let (by, signature, content) = parts(bytes).ok_or_else(missing)?;
    let verifier = verifier(by)?;
    let signed = signed(scope, content);
    let signature = BASE64URL_NOPAD.decode(signature.as_bytes());
    let is_valid = signature.is_ok_and(|signature| verifier.verify(&signed, &signature).is_ok());
    if is_valid {
        Ok((Key(by.to_string()), content))
    } else {
        Err(SignatureError(format!("the signature by {by} is not valid here")))
    }
}

/// The key that a message names as its author's; its signature is not checked.
pub fn claimed_key(bytes: &[u8]) -> Option<&str> {
    parts(bytes).map(|(by, ..)| by)
}

/// The key, the signature and the content of a message, all unchecked.
fn parts(bytes: &[u8]) -> Option<(&str, &str, &[u8])> {
    let beginning = &bytes[..bytes.len().min(MAX_OF_THE_LINE)];
    let end = beginning.iter().position(|&byte| byte == b'\n')?;
    let (by, signature) = std::str::from_utf8(&bytes[..end]).ok()?.split_once(' ')?;
    Some((by, signature, &bytes[end + 1..]))
}

/// The public key of a user, to verify signatures.
fn verifier(text: &str) -> Result<KeyPair, SignatureError> {
    let pair = KeyPair::from_public_key(text).ok();
    let user = pair.filter(|pair| pair.key_pair_type() == KeyPairType::User);
    let expected = "expected the public key of a NATS user, such as UA...";
    user.ok_or_else(|| SignatureError(expected.to_string()))
}

/// The bytes to sign. Scopes have no line breaks.
fn signed(scope: &str, content: &[u8]) -> Vec<u8> {
    [BEGINNING, scope.as_bytes(), b"\n", content].concat()
}

/// A key with its secret.
#[derive(Debug)]
pub struct Signer {
    pair: KeyPair,
    key: Key,
    /// The file of the key, locked.
    _lock: Option<File>,
}

impl Default for Signer {
    /// A new key.
    fn default() -> Signer {
        Signer::of(KeyPair::new_user())
    }
}

impl Signer {
    fn of(pair: KeyPair) -> Signer {
        let key = Key(pair.public_key());
        Signer { pair, key, _lock: None }
    }

    /// Reads the seed of a user from the file of a flag: of `--nkey`, or of `--creds`, which has more than the seed.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read or has no seed.
    pub fn read(flag: &'static str, path: &Path) -> Result<Signer, FileError> {
        let failed = |reason| FileError { flag, path: path.to_path_buf(), reason };
        let text = fs::read(path).and_then(text_of).map_err(failed)?;
        let pairs = text.split_whitespace().filter_map(|word| KeyPair::from_seed(word).ok());
        let found =
            pairs.map(Signer::of).find(|signer| signer.pair.key_pair_type() == KeyPairType::User);
        found.ok_or_else(|| failed(io::Error::other("expected the seed of an nkey, such as SU...")))
    }

    /// Returns the key that this user keeps under a name, such as `coordinator`; creates it if there is none.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be used.
    pub fn kept(name: &str) -> Result<Signer, FileError> {
        Signer::read_kept(&kept_file(name)?)
    }

    /// Returns such a key that no other process uses while this one runs: of another file, such as `worker-a-2.nk`, if
    /// one does. If no file can be created, the key is new.
    ///
    /// # Errors
    /// [`FileError`] if a file cannot be used.
    pub fn kept_alone(name: &str) -> Result<Signer, FileError> {
        let mut number = 1;
        loop {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let path = match kept_file(&format!("{name}{suffix}")) {
                Ok(path) => path,
                Err(error) => {
                    print_error(format_args!("{error}; the key is new, and is not kept"));
                    return Ok(Signer::default());
                }
            };
            let signer = Signer::read_kept(&path)?;
            let failed = |reason| FileError { flag: KEPT_KEY, path: path.clone(), reason };
            let lock = File::open(&path).map_err(failed)?;
            // A file system without locks has one key for all.
            if !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
                return Ok(Signer { _lock: Some(lock), ..signer });
            }
            number += 1;
        }
    }

    fn read_kept(path: &Path) -> Result<Signer, FileError> {
        let failed = |reason| FileError { flag: KEPT_KEY, path: path.to_path_buf(), reason };
        if path.metadata().map_err(failed)?.mode() & OF_OTHERS != 0 {
            let reason = "other users may read or write it; remove it, or use `chmod 600`";
            return Err(failed(io::Error::other(reason)));
        }
        Signer::read(KEPT_KEY, path)
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    pub fn seed(&self) -> String {
        // This fails only without a secret.
        self.pair.seed().unwrap_or_default()
    }

    pub fn sign(&self, scope: &str, content: &[u8]) -> Vec<u8> {
        // This fails only without a secret.
        let signature = self.pair.sign(&signed(scope, content));
        let signature = BASE64URL_NOPAD.encode(&signature.unwrap_or_default());
        let line = format!("{} {signature}\n", self.key);
        [line.as_bytes(), content].concat()
    }
}

/// Path of the key that this user keeps under a name; creates it if there is none.
fn kept_file(name: &str) -> Result<PathBuf, FileError> {
    let folder = user_folder("XDG_CONFIG_HOME", ".config");
    let path = folder.clone().unwrap_or_default().join(format!("{name}.nk"));
    let failed = |reason| FileError { flag: KEPT_KEY, path: path.clone(), reason };
    let Some(folder) = folder else {
        let reason = "neither XDG_CONFIG_HOME nor HOME is set; expected --nkey FILE";
        return Err(failed(io::Error::other(reason)));
    };
    if !path.exists() {
        create(&folder, &path).map_err(failed)?;
    }
    Ok(path)
}

/// Creates a file with a new key, unless another process does so at the same time.
fn create(folder: &Path, path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    // Only the user may read it.
    let mut file = NamedTempFile::new_in(folder)?;
    let seed = KeyPair::new_user().seed().map_err(io::Error::other)?;
    writeln!(file, "{seed}")?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

/// Maximum length of a worker's label.
const MAX_LABEL_LENGTH: usize = 64;

/// Makes a worker's label of any text: replaces all characters except letters, digits, `-` and `_` by `-`.
pub fn label_of(name: &str) -> String {
    let fit = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
        _ => '-',
    };
    name.chars().take(MAX_LABEL_LENGTH).map(fit).collect()
}

/// Default label of a worker: the name of its machine.
pub fn of_this_machine() -> String {
    let machine = uname().nodename().to_string_lossy().into_owned();
    label_of(machine.split('.').next().unwrap_or("machine"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_valid_for_its_key_scope_and_content_alone() {
        let (one, other) = (Signer::default(), Signer::default());
        let bytes = one.sign("match.7", b"content");
        assert_eq!(open(&bytes, "match.7"), Ok((one.key().clone(), &b"content"[..])));
        let of_other = other.key().open(&bytes, "match.7").unwrap_err().to_string();
        assert!(of_other.starts_with("signed by "), "{of_other}");
        let line = String::from_utf8(bytes.clone()).unwrap();
        let signature = line.split([' ', '\n']).nth(1).unwrap();
        let stolen = format!("{} {signature}\ncontent", other.key());
        let changed = line.replace("content", "contenT");
        for (bytes, scope) in [
            (&bytes[..], "match.8"),
            (stolen.as_bytes(), "match.7"),
            (changed.as_bytes(), "match.7"),
        ] {
            let error = open(bytes, scope).unwrap_err().to_string();
            assert!(error.ends_with("is not valid here"), "{error}");
        }
        for bytes in [&b""[..], b"content", b"\n", b"a b\n", b"\xff \n", &[b'x'; 999]] {
            assert!(open(bytes, "match.7").is_err());
        }
    }

    #[test]
    fn no_text_that_a_server_has_signed_is_a_message() {
        assert!(std::str::from_utf8(&signed("match.7", b"content")).is_err());
    }

    #[test]
    fn a_key_is_that_of_a_user() {
        let (user, account) = (KeyPair::new_user(), KeyPair::new_account());
        assert!(user.public_key().parse::<Key>().is_ok());
        for text in ["", "U", &account.public_key(), &user.public_key().to_lowercase()] {
            let error = text.parse::<Key>().unwrap_err().to_string();
            assert!(error.starts_with("expected the public key"), "{error}");
        }
        let key: Key = user.public_key().parse().unwrap();
        assert_eq!(id_in(&name_of("a-b", &key)), key.id());
    }

    #[test]
    fn any_name_becomes_a_label() {
        assert_eq!(label_of("a b.c*>ä"), "a-b-c---");
        assert_eq!(label_of(&"x".repeat(100)).len(), MAX_LABEL_LENGTH);
    }
}
