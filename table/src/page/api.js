// Talks with the server: questions answered at once, and streams that end when they are aborted.

/** An answer that says what was wrong. */
export class Refusal extends Error {}

async function answerOf(response) {
  const answer = await response.json().catch(() => null);
  if (answer?.ok) return answer;
  throw new Refusal(answer?.error ?? `${response.status} ${response.statusText}`);
}

/** The answer to a GET. */
export async function ask(path) {
  return answerOf(await fetch(`/api/${path}`));
}

function request(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** The answer to a POST. */
export async function post(path, body, signal) {
  return answerOf(await request(path, body, signal));
}

/** Yields `[event, data]` for each event that the server sends, until it ends or `signal` aborts. */
export async function* stream(path, body, signal) {
  const response = await request(path, body, signal);
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) await answerOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const field = (name) =>
        event.split("\n").filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
      const data = field("data").join("\n");
      if (data !== "") yield [field("event")[0] ?? "message", JSON.parse(data)];
    }
  }
}
