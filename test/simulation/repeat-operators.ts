/**
 * Clients of a simulation that send a request with its Idempotency-Key from several places at a time: a plant, and an
 * export, whose file must have the events of its organization. What must be true of it at the end.
 */
import { createHash } from "node:crypto";
import type { Answer, ApiRequest } from "./cloud.ts";
import { Problem } from "./invariants.ts";
import type { Organization, World } from "./world.ts";

/** `since` names the request: no other export has it. */
type Asked = { organization: Organization; since: number; isAcknowledged: boolean };
type StoredFile = { key: string; count: number; bytes: number; sha256: string };

type Ask = {
  call(organization: Organization, request: ApiRequest): Promise<Answer>;
  insist(organization: Organization, request: ApiRequest): Promise<Answer>;
};

const EXPORTS = "/security/exports";
const MINUTE_MS = 60_000;
/** An instance that starts an export makes about this many requests. It may die at each. */
const REQUESTS_OF_START = 9;

/** Longer than the clocks of two instances differ. */
const SETTLED_MS = 10_000;

export const createRepeatOperators = ({ scheduler, database, bucket, network }: World, { call, insist }: Ask) => {
  const { between, chance, now, sleep } = scheduler;
  const startedAt = now();
  const exports: Asked[] = [];
  let names = 0;

  /** Sends a request two or three times within seconds, under a key of its own. @returns the successful answers. */
  const repeat = async (organization: Organization, request: ApiRequest): Promise<Answer[]> => {
    const headers = { "idempotency-key": `repeated-${++names}` };
    const sends = Array.from({ length: between(2, 3) }, async () => {
      await sleep(between(0, 2_000));
      return call(organization, { ...request, headers });
    });
    const answers = await Promise.all(sends);
    const good = answers.filter(({ status }) => status < 300);
    const bodies = new Set(good.map(({ body }) => JSON.stringify(body)));
    if (bodies.size > 1) throw new Problem(`One Idempotency-Key was answered ${[...bodies].join(" and ")}`);
    return good;
  };

  const bodyOf = ({ since }: Asked) => ({ format: "ndjson", since });
  const ask = (organization: Organization): Asked => {
    const asked = { organization, since: startedAt - MINUTE_MS - exports.length, isAcknowledged: false };
    exports.push(asked);
    return asked;
  };

  /** The items of exports that a request has started. */
  const itemsOf = (scope: string, { since }: Asked) =>
    database.items("Exports").filter((item) => item.scope === scope && Object(item.filter).since === since);

  /** The ids of the events in a file. @throws Problem if the file is not the one that the export describes. */
  const idsIn = ({ key, count, bytes, sha256 }: StoredFile): string[] => {
    const body = bucket.read("exports", key);
    if (body === undefined) throw new Problem(`${key} of a completed export is missing`);
    const lines = body.toString().split("\n").slice(0, -1);
    const own = [lines.length, body.length, createHash("sha256").update(body).digest("hex")];
    if (String(own) !== String([count, bytes, sha256])) throw new Problem(`${key} is not the file of its export`);
    return lines.map((line) => (JSON.parse(line) as { id: string }).id);
  };

  /** An export ends, and its file has each of its organization's events once. */
  const judgeExport = (scope: string, asked: Asked, mayBeErased: boolean): void => {
    const [item, ...others] = itemsOf(scope, asked);
    if (others.length > 0) throw new Problem(`One request has started ${others.length + 1} exports`);
    if (item === undefined) {
      if (asked.isAcknowledged) throw new Problem("An export was acknowledged and does not exist");
      return;
    }
    if (mayBeErased && ["failed", "deleted"].includes(String(item.status))) return;
    if (item.status !== "completed") throw new Problem(`An export is ${item.status} for ever`);
    if (mayBeErased) return;
    const ids = (item.files as StoredFile[]).flatMap(idsIn);
    const stored = database.items("SecurityEvents").filter((event) => event.scope === scope);
    const foreign = ids.filter((id) => !stored.some((event) => event.id === id));
    if (foreign.length > 0) throw new Problem(`An export has ${foreign[0]}, which is no event of its organization`);
    if (new Set(ids).size < ids.length) throw new Problem("An export has an event twice");
  };

  /** Once nothing fails and nothing is late, an export has all events from before its request. */
  const judgeLastExport = async (organization: Organization, scope: string): Promise<void> => {
    await sleep(SETTLED_MS);
    // The event of the export's end may be dated before its request, because clocks differ.
    const stored = database.items("SecurityEvents").filter((event) => event.scope === scope && event.eventType);
    const asked = ask(organization);
    await insist(organization, { method: "POST", path: EXPORTS, body: bodyOf(asked) });
    asked.isAcknowledged = true;
    const isOpen = () => ["requested", "running"].includes(String(itemsOf(scope, asked)[0]?.status));
    for (let i = 0; isOpen() && i < 60; i++) await sleep(SETTLED_MS);
    judgeExport(scope, asked, false);
    const [item = {}] = itemsOf(scope, asked);
    const ids = new Set((item.files as StoredFile[]).flatMap(idsIn));
    const missing = stored.find(({ id }) => !ids.has(String(id)));
    if (missing !== undefined) throw new Problem(`An export lacks the event ${missing.id}`);
  };

  return {
    /** Sends a request several times. @throws Problem if its successful answers differ. */
    repeat,
    async export(organization: Organization): Promise<void> {
      const asked = ask(organization);
      if (chance(0.7)) network.doom("start-event-export", between(1, REQUESTS_OF_START));
      const answers = await repeat(organization, { method: "POST", path: EXPORTS, body: bodyOf(asked) });
      asked.isAcknowledged = answers.length > 0;
    },
    /** @param mayBeErased a user of the organization was erased, which ends exports and deletes their files. */
    async judge(organization: Organization, scope: string, mayBeErased: boolean): Promise<void> {
      const own = exports.filter((asked) => asked.organization === organization);
      for (const asked of own) judgeExport(scope, asked, mayBeErased);
      if (own.length > 0) await judgeLastExport(organization, scope);
    },
  };
};
