/**
 * Judges the account's activity when it is read, and when the provider refuses our key: reads the events of 28 days, and
 * raises what the rules find. Nothing is stored: what a crash repeats has the same occurrence, and counts once.
 */
import type { Finding } from "../../security/alerts/finding.ts";
import type { SecurityEvent } from "../../security/security-event.ts";
import type { SecurityEventStore } from "../../security/security-event-store.ts";
import { DAY_MS, HOUR_MS } from "../../terms/hours.ts";
import type { RuleSettingsStore } from "../rule-settings-store.ts";
import { entryOf, inOrder, type Refusal } from "./account-input.ts";
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

type Dependencies = {
  events: Pick<SecurityEventStore, "list">;
  settings: Pick<RuleSettingsStore, "read">;
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
export const createWatchAccount = ({ events, settings, raise, sweep, now }: Dependencies) => {
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

  const listRefusals = async (organizationId: string, since: number): Promise<Refusal[]> =>
    (await listAll(organizationId, "AUTHENTICATION_FAILURE", since))
      .filter(isRefusal)
      .map(({ id, timestamp }) => ({ eventId: id, at: timestamp }));

  return {
    /** @param recorded of entries that are read now. @param endpointId our webhook endpoint. */
    async judgeEntries(organizationId: string, recorded: readonly Recorded[], endpointId: string | undefined) {
      const fresh = recorded.flatMap((event) => entryOf(event) ?? []);
      // After a time without a connection, entries may have occurred days ago.
      const oldest = fresh.reduce((least, { occurredAt }) => Math.min(least, occurredAt), now()) - CLOCK_MS;
      const [stored, refusals, rules] = await Promise.all([
        listAll(organizationId, "PROVIDER_ACCOUNT_ACTIVITY", oldest - BASELINE_MS),
        listRefusals(organizationId, oldest),
        settings.read(organizationId),
      ]);
      const entries = inOrder([...stored.flatMap((event) => entryOf(event) ?? []), ...fresh]);
      const ids = new Set(fresh.map(({ activityId }) => activityId));
      const findings = judgeAccount({ entries, fresh: ids, refusals, endpointId }, rules);
      for (const finding of findings) await raise(organizationId, finding);
      if (findings.some(({ rule }) => rule === "endpoint_tampered")) await sweep(organizationId);
    },

    /** After the event of a refused key was recorded. */
    async judgeRefusal(organizationId: string, refusal: Refusal): Promise<void> {
      const since = refusal.at - MAX_WINDOW_MS - CLOCK_MS;
      const [stored, rules] = await Promise.all([
        listAll(organizationId, "PROVIDER_ACCOUNT_ACTIVITY", since),
        settings.read(organizationId),
      ]);
      const entries = inOrder(stored.flatMap((event) => entryOf(event) ?? []));
      const fresh = new Set([refusal.eventId]);
      const findings = judgeAccount({ entries, fresh, refusals: [refusal], endpointId: undefined }, rules);
      for (const finding of findings) await raise(organizationId, finding);
    },
  };
};
