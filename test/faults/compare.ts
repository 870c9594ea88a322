/** Compares states without what differs from run to run: times, new ids, durations, random shards. */
import { itemsOf, type Snapshot, shortName } from "./tables.ts";

/** Facts about how a request went, not about what it did; digests and tokens; fields that an answer may lack. */
const MEASURED = [
  "ms",
  "durationMs",
  "latencyMs",
  "tries",
  "attempts",
  "pacedMs",
  "retryAfterMs",
  "nextAt",
  "requestId",
  "digest",
  // Random, and a hash over it.
  "salt",
  "hash",
  "token",
  "repeated",
  // What the last try of a webhook changed: docs/webhooks.md, "Deliveries".
  "changed",
  "lastSyncAt",
  "readsThisMonth",
];

const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}(-[A-Za-z0-9_-]{16,24})?/g;

/** Random texts inside of others, and what stands for them. */
const RANDOM = [
  [/whsec_[A-Za-z0-9+/]{43}=/g, "<signing secret>"],
  [ID, "<id>"],
  [/https?:\/\/[^"\s]*X-Amz-Signature=[^"\s]*/g, "<link>"],
  [/[A-Za-z0-9_-]{40,}/g, "<secret>"],
  [/\b(open#|link#)[A-Za-z0-9_-]{16,24}/g, "$1<key>"],
  [/\b0*1[67]\d{11}\b/g, "<time>"],
  [/\d{4}-\d\d-\d\d(T\d\d(:[\d:.]+Z)?| \d\d:\d\d UTC)/g, "<hour>"],
] as const;
/** A random text of 9 bytes as base64url, such as a version or a token; words have one case and no digits. */
const TOKEN = /^(?=.*([A-Z].*[a-z]|[a-z].*[A-Z]|\d))[A-Za-z0-9_-]{12}$/;
/** The version of a record, which may by chance have one case and no digits. */
const VERSION = /^[A-Za-z0-9_-]{12}$/;
/** The attribute of a request token in an item that counts. */
const COUNTED = /^i[A-Za-z0-9_-]{12}$/;
/** A slot of the sender. The try's token decides which one, and its lease ends. */
const SLOT = /^(slot|slow)\d$/;

const isTime = (value: number): boolean => (value > 1.6e12 && value < 2.2e12) || (value > 1.6e9 && value < 2.2e9);

const plainText = (text: string, known: string, name: string): string => {
  if ((name === "version" ? VERSION : TOKEN).test(text) && !known.includes(text)) return "<token>";
  return RANDOM.reduce<string>(
    (left, [pattern, name]) =>
      left.replace(pattern, (found, ...groups) =>
        known.includes(found) ? found : name.replace("$1", typeof groups[0] === "string" ? groups[0] : ""),
      ),
    text,
  );
};

/** The name of a field, which in a map is an id. */
const plainName = (name: string, known: string): string =>
  name.replace(ID, (found) => (known.includes(found) ? found : "<id>"));

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Marks of work that is not finished: the next reader, the worker or the hourly functions find it by them. What they then
 * do is compared, the marks are not.
 */
const MARKS = ["announced", "change", "origin", "isQueued", "isRetryUnsent"];

/** What an erasure removes from an event that is recorded late. */
const PERSONAL = ["ipAddress", "userAgent", "userId", "userKey"];

/** What the hourly announcement of a circuit's transition does not know. */
const ORIGIN = ["ipAddress", "userAgent"];

/** What depends on the step of the sealed log in which a record counts: a failure delays a record to a later step. */
const isOfStep = (name: string, item: object): boolean =>
  ("erasedRoot" in item && name === "step") ||
  ("subtrees" in item && ["step", "before"].includes(name)) ||
  (name === "root" && !("erasedRoot" in item));

const isIgnored = (name: string, item: object): boolean =>
  isOfStep(name, item) ||
  MEASURED.includes(name) ||
  MARKS.includes(name) ||
  COUNTED.test(name) ||
  SLOT.test(name) ||
  ("eventType" in item && item.eventType === "ERASURE_REQUESTED" && PERSONAL.includes(name)) ||
  ("resourceType" in item && item.resourceType === "circuit_breaker" && ORIGIN.includes(name));

/** @param known a text with all ids that existed before. */
export const plain = (value: unknown, known: string, name = ""): unknown => {
  if (typeof value === "bigint") return plain(Number(value), known);
  if (typeof value === "number") return isTime(value) ? "<time>" : value;
  if (typeof value === "string") {
    const parsed = /^[[{]/.test(value) ? parse(value) : value;
    return typeof parsed === "string" ? plainText(parsed, known, name) : plain(parsed, known, name);
  }
  if (value instanceof Uint8Array) return "<bytes>";
  if (value instanceof Set) return [...value].map((one) => plain(one, known)).sort();
  if (Array.isArray(value)) return value.map((one) => plain(one, known, name));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value)
    .filter(([key]) => !isIgnored(key, value))
    .map(
      ([key, one]) =>
        [
          plainName(key, known),
          plain(key === "starts" && Array.isArray(one) ? one.slice(-1) : one, known, key),
        ] as const,
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields);
};

/** Notices of an outage: if a look for one fails, the next change of a circuit looks again. */
const isOutage = (item: Record<string, unknown>): boolean =>
  item.eventType === "SYSTEM_OUTAGE" || item.rule === "system_outage" || String(item.id).startsWith("outage");

/** Statistics that are spread over random shards, and counts of calls, which retries and failures change. */
const isStatistic = (table: string, item: Record<string, unknown>): boolean =>
  (table === "Circuits" && typeof item.t === "number") ||
  (table === "SyncRuns" && /^(rate$|reads#)/.test(String(item.key))) ||
  // A mail whose answer was lost is sent again, and counts again.
  (table === "Notifications" && String(item.key).startsWith("mails#")) ||
  // Keys are compared by their effect: the matrix repeats each request that has one.
  table === "IdempotencyKeys" ||
  // Any function marks the hour again; a mark too many changes nothing.
  table === "SecurityRollups";

/** The lines of tables that have not changed are made once. */
const lines = new WeakMap<object, string[]>();

/** The items as lines of text; each starts with its table. */
export const linesOf = (snapshot: Snapshot, known: string): string[] =>
  [...snapshot].flatMap(([name, items]) => {
    const table = shortName(name);
    const made =
      lines.get(items) ??
      itemsOf(snapshot, table).flatMap((item) =>
        isStatistic(table, item) || isOutage(item) ? [] : [`${table} ${JSON.stringify(plain(item, known))}`],
      );
    lines.set(items, made);
    return made;
  });

/** A text for people: of a line that has changed, only the fields that differ. */
const explain = (line: string, others: readonly string[]): string => {
  const split = (text: string) => [text.slice(0, text.indexOf(" ")), parse(text.slice(text.indexOf(" ") + 1))] as const;
  const [table, item] = split(line);
  const fields = Object.entries(item as object);
  const similar = others
    .map(split)
    .flatMap(([name, other]) => (name === table ? [other as Record<string, unknown>] : []))
    .map((other) => fields.filter(([key, value]) => JSON.stringify(other[key]) !== JSON.stringify(value)))
    .sort((a, b) => a.length - b.length)[0];
  return similar !== undefined && similar.length < fields.length / 2
    ? `${table} … ${JSON.stringify(Object.fromEntries(similar))}`
    : line;
};

/** The lines that are in one list more often than in the other. */
export const differenceOf = (expected: readonly string[], found: readonly string[]) => {
  const left = [...found];
  const missing = expected.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return { missing, surplus: left, explain: (line: string) => explain(line, missing.includes(line) ? left : missing) };
};
