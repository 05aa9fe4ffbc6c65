//! Keys, credentials and certificates for servers and clients.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

/// An account with JetStream whose users have credentials, and the server configuration with this account.
pub struct Account {
    pub config: String,
    key: KeyPair,
}

impl Account {
    pub fn new() -> Account {
        let (operator, system) = (KeyPair::new_operator(), KeyPair::new_account());
        let key = KeyPair::new_account();
        let unlimited = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
            "leaf": -1, "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
        });
        let account = |subject: &KeyPair, limits: &Value| {
            let claim = json!({ "limits": limits, "type": "account", "version": 2 });
            token(&operator, subject, &claim)
        };
        let is_operator = json!({ "type": "operator", "version": 2 });
        let config = format!(
            "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n  {}: {}\n  {}: {}\n}}\n",
            token(&operator, &operator, &is_operator),
            system.public_key(),
            key.public_key(),
            account(&key, &unlimited),
            system.public_key(),
            account(&system, &json!({ "subs": -1, "conn": -1, "wildcards": true })),
        );
        Account { config, key }
    }

    /// Content of a credentials file for a new user.
    pub fn credentials(&self) -> String {
        let user = KeyPair::new_user();
        let claim = json!({
            "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2,
        });
        let part = |name: &str, content: &str| {
            format!("-----BEGIN {name}-----\n{content}\n------END {name}------\n\n")
        };
        part("NATS USER JWT", &token(&self.key, &user, &claim))
            + &part("USER NKEY SEED", &user.seed().unwrap())
    }
}

/// A JWT about `subject`, signed by `issuer`.
fn token(issuer: &KeyPair, subject: &KeyPair, claim: &Value) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let encode = |value: Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let text = format!(
        "{}.{}",
        encode(json!({ "typ": "JWT", "alg": "ed25519-nkey" })),
        encode(json!({
            "jti": subject.public_key(), "iat": now, "iss": issuer.public_key(), "name": "test",
            "sub": subject.public_key(), "nats": claim,
        }))
    );
    let signature = issuer.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
}

/// A certificate of this machine with its key and its CA's certificate, all in PEM.
pub struct Certificate {
    pub authority: String,
    pub certificate: String,
    pub key: String,
}

impl Certificate {
    pub fn new() -> Certificate {
        use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let (authority_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let signed = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);
        let machine = CertificateParams::new(["127.0.0.1".to_string()]).unwrap();
        Certificate {
            authority: signed.pem(),
            certificate: machine.signed_by(&key, &issuer).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }
}
