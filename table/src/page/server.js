// The server: requests, with JSON or a stream of events as the answer, and its offer of games and engines.

const RETRY_MS = 1000;

/** The server does not answer. */
export class OfflineError extends Error {}

/** The server refuses a request or fails; its message is English. */
export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    /** Whether the server has too much to do. */
    this.isBusy = status === 429 || status === 503;
  }
}

// Waits for something from the network.
async function received(pending) {
  try {
    return await pending;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new OfflineError(error.message);
  }
}

async function answerOf(response) {
  const answer = await response.json().catch(() => null);
  if (answer?.ok) return answer;
  throw new ServerError(answer?.error ?? `${response.status} ${response.statusText}`, response.status);
}

/** Sends a GET request; returns the answer. */
export async function ask(path) {
  return answerOf(await received(fetch(`/api/${path}`)));
}

function request(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return received(fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal }));
}

/** Waits until the server answers. */
export async function reconnected() {
  for (;;) {
    try {
      await ask("engines");
      return;
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, RETRY_MS); });
    }
  }
}

/** Sends a POST request; returns the answer. */
export async function post(path, body, signal) {
  return answerOf(await request(path, body, signal));
}

/** Yields `[event, data]` for each event until the stream ends; throws the server's errors, and if `signal` aborts. */
export async function* stream(path, body, signal) {
  const response = await request(path, body, signal);
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) await answerOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await received(reader.read());
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const block of events) {
      // A comment keeps the connection open.
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (!event) continue;
      const parsed = JSON.parse(data);
      signal.throwIfAborted();
      if (event === "error") throw new ServerError(parsed.error, parsed.status);
      yield [event, parsed];
    }
  }
}

// --- Its offer ---

/** The server's games and engines, which come with the page. */
export class Server {
  /** `offer` is as the answer of `GET /api/engines`. */
  constructor({ variants, engines, limits }) {
    this.variants = variants;
    this.engines = engines;
    /** The engines that work. */
    this.working = engines.filter(({ error }) => !error);
    /** Maximum time of a search, in milliseconds. */
    this.longest = limits.movetime;
  }

  /** The engine of this name; undefined if there is none. */
  named(name) {
    return this.engines.find((engine) => engine.name === name);
  }

  /** The limit of a search that takes this time, in milliseconds, or as long as the server admits. */
  limitOf(ms) {
    return `movetime ${Math.min(ms, this.longest)}`;
  }
}
