// What the page says about its state: the status, errors, and a server that does not answer.

import { OfflineError, ServerError, reconnected } from "./api.js";
import { element } from "./board.js";
import { t } from "./texts.js";

const messageOf = (error) =>
  (error instanceof ServerError ? t("server says", { error: error.message }) : error.message);

/** An error in the reader's words; `key` is a text that says what has failed. */
export const failureText = (error, key = "failed", values = {}) =>
  (error.isBusy ? t("busy") : t(key, { ...values, error: messageOf(error) }));

/** A base of the table, whose method `look` shows the position again. */
export class Notices {
  /** `parts` has the elements `status` and `trouble`. */
  constructor(parts) {
    this.parts = parts;
    this.again = null;
    this.reconnecting = null;
  }

  /** Shows the status. */
  say(text) {
    this.parts.status.textContent = text;
    this.parts.status.scrollTop = 0;
  }

  /** Shows a problem with buttons to solve it; without a text, removes it. */
  complain(text, ...buttons) {
    this.parts.trouble.replaceChildren(...(text ? [element("p", {}, text), ...buttons] : []));
    this.parts.trouble.hidden = !text;
  }

  /** Runs what the user asked for; reports its error. */
  async perform(action) {
    try {
      await action();
    } catch (error) {
      this.fail(error, () => this.perform(action));
    }
  }

  /** Does what no later action of the user replaces: as often as it takes until the server answers. Reports its error. */
  async ensure(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof OfflineError)) return this.fail(error);
      this.complain(t("offline"));
      await reconnected();
      this.complain("");
      await this.ensure(action);
    }
  }

  /** Reports an error. If the server does not answer, waits until it does, then runs the last `again`, or `look`. */
  fail(error, again = null) {
    if (!(error instanceof OfflineError)) return this.complain(failureText(error));
    this.complain(t("offline"));
    this.again = again ?? this.again;
    this.reconnecting ??= reconnected().then(() => {
      this.reconnecting = null;
      this.complain("");
      const action = this.again ?? (() => this.look());
      this.again = null;
      action();
    });
  }
}
