/**
 * Judges the account's activity when it is read, and our calls that the provider refuses when they are recorded: reads the
 * stored events, and raises what the rules find. Nothing is stored: what a crash repeats has the same occurrence, and
 * counts once.
 */
import { createLruCache } from "../../circuit-breaker/lru-cache.ts";
import type { ConnectionStore } from "../../connection/connection-store.ts";
import { checkOf } from "../../connection/endpoint-check.ts";
import { writeLog } from "../../runtime/log.ts";
import type { Finding } from "../../security/alerts/finding.ts";
import type { SecurityEvent } from "../../security/security-event.ts";
import type { SecurityEventStore } from "../../security/security-event-store.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/hours.ts";
import type { RuleSettingsStore } from "../rule-settings-store.ts";
import { type AccountInput, type Entry, entryOf, inOrder, type Refusal } from "./account-input.ts";
import { accountKinds } from "./account-kinds.ts";
import { judgeAccount } from "./account-rules.ts";

/** As long as the longest baseline of a rule. */
const BASELINE_MS = 28 * DAY_MS;
/** The longest that an administrator may set. */
const MAX_WINDOW_MS = accountKinds.key_seen_then_refused.thresholds.windowHours.max * HOUR_MS;
/** The provider's clock may differ from ours by less than this. */
const CLOCK_MS = HOUR_MS;
const EVENTS_PER_PAGE = 500;
/** Of a log with more entries, the newest count. */
const MAX_EVENTS = 5_000;

/** While calls are refused, an instance judges one refusal of an organization in this time. */
const REFUSALS_APART_MS = 5 * MINUTE_MS;

type Dependencies = {
  events: Pick<SecurityEventStore, "list">;
  settings: Pick<RuleSettingsStore, "read">;
  raise(organizationId: string, finding: Finding): Promise<void>;
  now: () => number;
};

/** The events that were recorded now; the index may not have them yet. */
type Recorded = Pick<SecurityEvent, "id" | "metadata">;

const isRefusal = ({ metadata, resourceType }: SecurityEvent): boolean =>
  resourceType === "provider_account" &&
  (metadata as { errorCategory?: unknown } | undefined)?.errorCategory === "authentication";

const createReader = ({ events, now }: Pick<Dependencies, "events" | "now">) => {
  const listAll = async (organizationId: string, eventType: string, since: number): Promise<SecurityEvent[]> => {
    const found: SecurityEvent[] = [];
    let after: string | undefined;
    do {
      const selection = { organizationId, since, eventType };
      const page = await events.list(selection, { limit: EVENTS_PER_PAGE, after, now: now() });
      found.push(...page.events);
      after = page.next;
    } while (after !== undefined && found.length < MAX_EVENTS);
    return found;
  };
  return {
    entries: async (organizationId: string, since: number): Promise<Entry[]> =>
      (await listAll(organizationId, "PROVIDER_ACCOUNT_ACTIVITY", since)).flatMap((event) => entryOf(event) ?? []),
    refusals: async (organizationId: string, since: number): Promise<Refusal[]> =>
      (await listAll(organizationId, "AUTHENTICATION_FAILURE", since))
        .filter(isRefusal)
        .map(({ id, timestamp }) => ({ eventId: id, at: timestamp })),
  };
};

/**
 * Judges a refused call after its event is recorded, with the entries of the time before it. Of a series, the first is
 * judged at once, and all with each read of new entries. Half a read unit per 4 KB of the entries. Never throws.
 */
export const createWatchRefusals = (dependencies: Dependencies) => {
  const { settings, raise, now } = dependencies;
  const read = createReader(dependencies);
  const judgedAt = createLruCache<number>();

  return async (organizationId: string, refusal: Refusal): Promise<void> => {
    if (now() - (judgedAt.get(organizationId) ?? Number.NEGATIVE_INFINITY) < REFUSALS_APART_MS) return;
    judgedAt.set(organizationId, now());
    try {
      const [entries, rules] = await Promise.all([
        read.entries(organizationId, refusal.at - MAX_WINDOW_MS - CLOCK_MS),
        settings.read(organizationId),
      ]);
      const fresh = new Set([refusal.eventId]);
      const input = { entries: inOrder(entries), fresh, refusals: [refusal], endpoint: undefined };
      for (const finding of judgeAccount(input, rules)) await raise(organizationId, finding);
    } catch (error) {
      writeLog("error", "Judging a refused call failed; the next entries are judged with it", { cause: String(error) });
    }
  };
};

type EntryDependencies = Dependencies & {
  connections: Pick<ConnectionStore, "read">;
  /** Has the sync run start that reads what webhooks may have missed. */
  sweep(organizationId: string): Promise<void>;
};

/**
 * Judges entries that are recorded now, with those and the refusals before them. The returned function throws DomainError
 * `store_unavailable`, and Error if the bus does not take a change of an alert.
 */
export const createWatchEntries = (dependencies: EntryDependencies) => {
  const { settings, connections, raise, sweep, now } = dependencies;
  const read = createReader(dependencies);

  /** As it is now: the provider's entries about a replaced endpoint come after the new one is stored. */
  const readEndpoint = async (organizationId: string): Promise<AccountInput["endpoint"]> => {
    const connection = await connections.read(organizationId);
    if (connection.status === "disconnected" || connection.webhookEndpointId === undefined) return undefined;
    return { id: connection.webhookEndpointId, changedAt: checkOf(connection)?.changedAt };
  };

  return async (organizationId: string, recorded: readonly Recorded[]): Promise<void> => {
    const fresh = recorded.flatMap((event) => entryOf(event) ?? []);
    // After a time without a connection, entries may have occurred days ago.
    const oldest = fresh.reduce((least, { occurredAt }) => Math.min(least, occurredAt), now()) - CLOCK_MS;
    const [stored, refusals, rules, endpoint] = await Promise.all([
      read.entries(organizationId, oldest - BASELINE_MS),
      read.refusals(organizationId, oldest),
      settings.read(organizationId),
      readEndpoint(organizationId),
    ]);
    const entries = inOrder([...stored, ...fresh]);
    const ids = new Set(fresh.map(({ activityId }) => activityId));
    const findings = judgeAccount({ entries, fresh: ids, refusals, endpoint }, rules);
    for (const finding of findings) await raise(organizationId, finding);
    if (findings.some(({ rule }) => rule === "endpoint_tampered")) await sweep(organizationId);
  };
};
