/**
 * Judges the account's activity when it is read, and when the provider refuses our key: reads the events of 28 days, and
 * raises what the rules find. Nothing is stored: what a crash repeats has the same occurrence, and counts once.
 */
import type { Finding } from "../../security/alerts/finding.ts";
import type { SecurityEvent } from "../../security/security-event.ts";
import type { SecurityEventStore } from "../../security/security-event-store.ts";
import { DAY_MS } from "../../terms/hours.ts";
import { entryOf, inOrder, type Refusal } from "./account-input.ts";
import { judgeAccount } from "./account-rules.ts";

const BASELINE_MS = 28 * DAY_MS;
const EVENTS_PER_PAGE = 500;
/** Of a log with more entries, the newest count. */
const MAX_EVENTS = 5_000;

type Dependencies = {
  events: Pick<SecurityEventStore, "list">;
  raise(organizationId: string, finding: Finding): Promise<void>;
  /** Has the sync run start that reads what webhooks may have missed. */
  sweep(organizationId: string): Promise<void>;
  now: () => number;
};

/** The events that were recorded now; the index may not have them yet. */
type Recorded = Pick<SecurityEvent, "id" | "metadata">;

const isRefusal = ({ metadata, resourceType }: SecurityEvent): boolean =>
  resourceType === "provider_account" &&
  (metadata as { errorCategory?: unknown } | undefined)?.errorCategory === "authentication";

/** Both calls throw DomainError `store_unavailable`, and Error if the bus does not take a change of an alert. */
export const createWatchAccount = ({ events, raise, sweep, now }: Dependencies) => {
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

  const listRefusals = async (organizationId: string): Promise<Refusal[]> =>
    (await listAll(organizationId, "AUTHENTICATION_FAILURE", now() - 2 * DAY_MS))
      .filter(isRefusal)
      .map(({ id, timestamp }) => ({ eventId: id, at: timestamp }));

  return {
    /** @param recorded of entries that are read now. @param endpointId our webhook endpoint. */
    async judgeEntries(organizationId: string, recorded: readonly Recorded[], endpointId: string | undefined) {
      const [stored, refusals] = await Promise.all([
        listAll(organizationId, "PROVIDER_ACCOUNT_ACTIVITY", now() - BASELINE_MS - DAY_MS),
        listRefusals(organizationId),
      ]);
      const fresh = recorded.flatMap((event) => entryOf(event) ?? []);
      const entries = inOrder([...stored.flatMap((event) => entryOf(event) ?? []), ...fresh]);
      const ids = new Set(fresh.map(({ activityId }) => activityId));
      const findings = judgeAccount({ entries, fresh: ids, refusals, endpointId });
      for (const finding of findings) await raise(organizationId, finding);
      if (findings.some(({ rule }) => rule === "endpoint_tampered")) await sweep(organizationId);
    },

    /** After the event of a refused key was recorded. */
    async judgeRefusal(organizationId: string, refusal: Refusal): Promise<void> {
      const stored = await listAll(organizationId, "PROVIDER_ACCOUNT_ACTIVITY", refusal.at - DAY_MS);
      const entries = inOrder(stored.flatMap((event) => entryOf(event) ?? []));
      const fresh = new Set([refusal.eventId]);
      const findings = judgeAccount({ entries, fresh, refusals: [refusal], endpointId: undefined });
      for (const finding of findings) await raise(organizationId, finding);
    },
  };
};
