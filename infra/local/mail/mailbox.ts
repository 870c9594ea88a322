import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/data-file.ts";
import { type JsonRoutes, refuse } from "../http/json-server.ts";
import { composeMail, type MailContent, parseMail } from "./mime.ts";

/** E-mails that one list shows, the newest. */
const MAX_SHOWN = 1_000;
const EXTENSION = ".eml";

/** The e-mails that functions have sent, one file each; they stay until you delete them. */
export type Mailbox = {
  /** Writes `<time>-<n>.eml`. @returns the e-mail's id: the file's name without the extension. */
  deliver(mail: MailContent): string;
  /** For the control server: `GET /mail` lists the newest e-mails, `GET /mail/{id}` shows one. */
  routes: JsonRoutes;
};

/** @param options.log called with a line for each e-mail. */
export const createMailbox = (options: {
  directory: string;
  clock: Pick<Clock, "now">;
  log: (line: string) => void;
}): Mailbox => {
  const { directory, clock, log } = options;
  const fileOf = (id: string) => join(directory, `${id}${EXTENSION}`);

  /** Creates the file of an id that no other e-mail has. */
  const claimId = (time: string): string => {
    for (let n = 1; ; n++) {
      const id = `${time}-${n}`;
      try {
        closeSync(openSync(fileOf(id), "wx"));
        return id;
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
    }
  };

  const ids = (): string[] => {
    mkdirSync(directory, { recursive: true });
    const names = readdirSync(directory).filter((name) => name.endsWith(EXTENSION));
    return names
      .map((name) => name.slice(0, -EXTENSION.length))
      .toSorted(new Intl.Collator("en", { numeric: true }).compare);
  };

  const read = (id: string) => {
    const { headers, text, html } = parseMail(readFileSync(fileOf(id), "utf8"));
    const { From: from, To: to, Subject: subject, Date: date = "" } = headers;
    return { summary: { id, at: Date.parse(date), from, to, subject, file: fileOf(id) }, headers, text, html };
  };

  const routes: JsonRoutes = {
    "GET /mail": () => ({
      status: 200,
      body: {
        mails: ids()
          .slice(-MAX_SHOWN)
          .map((id) => read(id).summary),
      },
    }),
    "GET /mail/{id}": ({ parameters: { id = "" } }) => {
      if (!ids().includes(id)) return refuse(404, `there is no e-mail ${id}: GET /mail lists them`);
      const { summary, ...content } = read(id);
      return { status: 200, body: { ...summary, ...content } };
    },
  };

  return {
    routes,
    deliver(mail) {
      mkdirSync(directory, { recursive: true });
      const now = clock.now();
      const id = claimId(new Date(now).toISOString().slice(0, 19).replaceAll(":", "-"));
      const unfinished = `${fileOf(id)}.tmp`;
      writeFileSync(unfinished, composeMail(mail, now));
      renameSync(unfinished, fileOf(id));
      log(`MAIL to ${mail.to.join(", ")}: ${JSON.stringify(mail.subject)} (${fileOf(id)})`);
      return id;
    },
  };
};
