// Requests to the server, with JSON or a stream of events as the answer.

async function answerOf(response) {
  const answer = await response.json().catch(() => null);
  if (answer?.ok) return answer;
  throw new Error(answer?.error ?? `${response.status} ${response.statusText}`);
}

/** Sends a GET request; returns the answer. */
export async function ask(path) {
  return answerOf(await fetch(`/api/${path}`));
}

function request(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** Sends a POST request; returns the answer. */
export async function post(path, body, signal) {
  return answerOf(await request(path, body, signal));
}

/** Yields `[event, data]` for each event of the server until the stream ends or `signal` aborts. */
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
