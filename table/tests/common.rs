//! What several tests share.

pub mod games;
pub mod program;
pub mod server;
