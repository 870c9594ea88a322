/**
 * What the rules of the account stand on: entries of the provider's log of activity, as their security events have them, and
 * our own refused calls. Stories are in order of when things occurred. Pure. docs/detection.md, "The account".
 */
import * as z from "zod/mini";
import { MAX_EVENT_IDS } from "../../security/alerts/alert.ts";
import type { AccountRule, Finding } from "../../security/alerts/finding.ts";
import type { SecurityEvent } from "../../security/security-event.ts";
import { accountKinds } from "./account-kinds.ts";

const optionalText = z.optional(z.string());
const Actor = z.object({ type: z.string(), email: optionalText, apiKeyId: optionalText });
const Metadata = z.object({
  activityId: z.string(),
  type: z.string(),
  occurredAt: z.number(),
  actor: Actor,
  details: z.catch(z.record(z.string(), z.unknown()), {}),
});

/** An entry with the id of its event. `kind`: that of its details. Times are epoch ms. */
export type Entry = z.output<typeof Metadata> & { eventId: string; kind: string | undefined };

/** A call of ours that the provider refused with 401. */
export type Refusal = { eventId: string; at: number };

/** Entries from `BASELINE_MS` before the oldest fresh one on. `fresh`: the ids of those that are read now. */
export type AccountInput = {
  entries: readonly Entry[];
  fresh: ReadonlySet<string>;
  refusals: readonly Refusal[];
  /** The webhook endpoint that this service has registered, and when a request of ours has last changed it, epoch ms. */
  endpoint: { id: string; changedAt?: number | undefined } | undefined;
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Undefined for an event of another kind, and for one that an erasure has emptied. */
export const entryOf = ({ id, metadata }: Pick<SecurityEvent, "id" | "metadata">): Entry | undefined => {
  const { data } = Metadata.safeParse(metadata);
  return data && { ...data, eventId: id, kind: textOf(data.details.type) };
};

/** In order of occurrence, each once: an entry that was read now may be in the list of stored ones, too. */
export const inOrder = (entries: readonly Entry[]): Entry[] =>
  [...new Map(entries.map((entry) => [entry.activityId, entry])).values()].sort(
    (a, b) => a.occurredAt - b.occurredAt || (a.activityId < b.activityId ? -1 : 1),
  );

/** A field of the object that the details name. */
export const fieldOf = ({ details, kind = "" }: Entry, name: string): unknown => {
  const named = details[kind];
  return typeof named === "object" && named !== null ? (named as Record<string, unknown>)[name] : undefined;
};

export const endsIn = ({ type }: Entry, ...endings: readonly string[]): boolean =>
  endings.some((ending) => type.endsWith(`_${ending}`));

/** Who an actor is: by the address, else the key, else the type. */
export const identityOfActor = ({ actor: { email, apiKeyId, type } }: Entry): string => email ?? apiKeyId ?? type;

export const subjectOfActor = ({ actor: { email, type } }: Entry): string => `actor:${email ?? type}`;

const ACCESS_KINDS: readonly unknown[] = ["api_key", "user_invite", "user_roles", "sso"];

/** A change of who may use the account. */
export const isAccessChange = (entry: Entry): boolean =>
  ACCESS_KINDS.includes(entry.kind) && endsIn(entry, "created", "updated", "deleted");

/** Both bounds count. Times in epoch ms. */
export const isWithin = (windowMs: number, from: number, to: number): boolean => to >= from && to - from <= windowMs;

/** Evidence is stored in 2 KB. */
const MAX_TOLD = 10;

/** @param story the evidence, in order of time. @param occurrence the id of the event that completes the story. */
export const findingOfStory = (
  rule: AccountRule,
  subject: string,
  occurrence: string,
  story: readonly { eventId: string; at: number; what: string }[],
): Finding => ({
  rule,
  subject,
  title: accountKinds[rule].title,
  level: accountKinds[rule].level,
  message: accountKinds[rule].action,
  occurrence,
  eventIds: story.slice(-MAX_EVENT_IDS).map(({ eventId }) => eventId),
  evidence: { count: story.length, story: story.slice(-MAX_TOLD).map(({ at, what }) => ({ at, what })) },
  firstSeen: story[0]?.at ?? 0,
  lastSeen: story.at(-1)?.at ?? 0,
});

export const partOf = ({ eventId, occurredAt, type }: Entry) => ({ eventId, at: occurredAt, what: type });
