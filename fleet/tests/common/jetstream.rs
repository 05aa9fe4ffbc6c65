//! Access of the tests to a server.

use async_nats::jetstream::{self, Context};

/// Calls `run` with the JetStream at an address.
pub fn with_jetstream<T>(url: &str, run: impl AsyncFnOnce(Context) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let address: async_nats::ServerAddr = url.parse().unwrap();
        let mut options = async_nats::ConnectOptions::new();
        if let (Some(user), Some(password)) = (address.username(), address.password()) {
            options = options.user_and_password(user.to_string(), password.to_string());
        }
        let client = options.connect(address).await.unwrap();
        run(jetstream::new(client)).await
    })
}
