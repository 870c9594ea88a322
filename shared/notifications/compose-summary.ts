/** What the summary of a bundle says. Pure. docs/notifications.md, "Quiet hours and digests". */
import { consoleAlertsUrl } from "./console-urls.ts";
import type { StoredDelivery } from "./delivery.ts";
import { MAX_SUMMARIZED, type Notification } from "./messages/notification.ts";
import type { HeldItem } from "./notification-items.ts";

/** Alerts that are kept while reading; older ones are dropped when there are more. */
const MAX_KEPT = 10 * MAX_SUMMARIZED;

const newestFirst = (one: HeldItem, other: HeldItem): number =>
  other.at - one.at || other.entry.count - one.entry.count;

type Context = {
  organizationId: string;
  bundle: Pick<StoredDelivery, "createdAt" | "notBefore" | "bundle">;
  consoleUrl: string;
};

/**
 * The summary of a bundle that has begun to be sent. It counts every held notification, and shows the newest state of the
 * newest 20 alerts. @param held the notifications of the bundle, in any order (notice-store.ts, `held`).
 */
export const composeSummary = async (
  { organizationId, bundle, consoleUrl }: Context,
  held: AsyncIterable<HeldItem> | Iterable<HeldItem>,
): Promise<Extract<Notification, { type: "security.alerts.summary" }>> => {
  const { createdAt, notBefore = createdAt } = bundle;
  const { reason, from } = bundle.bundle ?? { reason: "digest", from: createdAt };
  let total = 0;
  const byLevel: Partial<Record<HeldItem["entry"]["level"], number>> = {};
  const byChange: Partial<Record<HeldItem["change"], number>> = {};
  let newest = new Map<string, HeldItem>();
  const sorted = () => [...newest.values()].sort(newestFirst).slice(0, MAX_SUMMARIZED);
  for await (const one of held) {
    const { level, id } = one.entry;
    total++;
    byLevel[level] = (byLevel[level] ?? 0) + 1;
    byChange[one.change] = (byChange[one.change] ?? 0) + 1;
    const known = newest.get(id);
    if (known === undefined || newestFirst(one, known) < 0) newest.set(id, one);
    if (newest.size > MAX_KEPT) newest = new Map(sorted().map((kept) => [kept.entry.id, kept]));
  }
  const alerts = sorted().map(({ entry }) => entry);
  const counts = { total, byLevel, byChange };
  return {
    type: "security.alerts.summary",
    timestamp: notBefore,
    organizationId,
    data: { reason, from, to: notBefore, ...counts, alerts, url: consoleAlertsUrl(consoleUrl) },
  };
};
