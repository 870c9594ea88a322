/** What the summary of a bundle says. Pure. docs/notifications.md, "Quiet hours and digests". */
import { isAtLeast, type RiskLevel, riskLevels } from "../terms/risk-levels.ts";
import { consoleAlertsUrl } from "./console-urls.ts";
import type { StoredDelivery } from "./delivery.ts";
import { MAX_SUMMARIZED, type Notification } from "./messages/notification.ts";
import type { HeldItem } from "./notification-items.ts";

/** Alerts that are kept whole while reading; of the others only the level is kept. */
const MAX_KEPT = 10 * MAX_SUMMARIZED;

type Counts = Partial<Record<RiskLevel, number>>;

const addTo = <Name extends string>(counts: Partial<Record<Name, number>>, name: Name): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const newestFirst = (one: HeldItem, other: HeldItem): number =>
  other.at - one.at || other.entry.count - one.entry.count;

const rankOf = ({ entry }: HeldItem): number => riskLevels.indexOf(entry.level);

/** An alert's level only rises, so its newest state is not behind its older ones. */
const highestFirst = (one: HeldItem, other: HeldItem): number => rankOf(other) - rankOf(one) || newestFirst(one, other);

type Context = {
  organizationId: string;
  bundle: Pick<StoredDelivery, "createdAt" | "notBefore" | "bundle">;
  consoleUrl: string;
};

/**
 * The summary of a bundle that has begun to be sent. It counts every held notification, shows the newest state of 20 alerts,
 * the highest levels first, and counts the alerts that it leaves out. @param held the notifications of the bundle, in any order (notice-store.ts, `held`).
 */
export const composeSummary = async (
  { organizationId, bundle, consoleUrl }: Context,
  held: AsyncIterable<HeldItem> | Iterable<HeldItem>,
): Promise<Extract<Notification, { type: "security.alerts.summary" }>> => {
  const { createdAt, notBefore = createdAt } = bundle;
  const { reason, from } = bundle.bundle ?? { reason: "digest", from: createdAt };
  let total = 0;
  const byLevel: Counts = {};
  const byChange: Partial<Record<HeldItem["change"], number>> = {};
  const levels = new Map<string, RiskLevel>();
  let kept = new Map<string, HeldItem>();
  const sorted = () => [...kept.values()].sort(highestFirst).slice(0, MAX_SUMMARIZED);
  for await (const one of held) {
    const { level, id } = one.entry;
    total++;
    addTo(byLevel, level);
    addTo(byChange, one.change);
    if (isAtLeast(level, levels.get(id) ?? "LOW")) levels.set(id, level);
    const known = kept.get(id);
    if (known === undefined || newestFirst(one, known) < 0) kept.set(id, one);
    if (kept.size > MAX_KEPT) kept = new Map(sorted().map((item) => [item.entry.id, item]));
  }
  const alerts = sorted().map(({ entry }) => entry);
  for (const { id } of alerts) levels.delete(id);
  const leftOut: Counts = {};
  for (const level of levels.values()) addTo(leftOut, level);
  const counts = { total, byLevel, byChange, leftOut };
  return {
    type: "security.alerts.summary",
    timestamp: notBefore,
    organizationId,
    data: { reason, from, to: notBefore, ...counts, alerts, url: consoleAlertsUrl(consoleUrl) },
  };
};
