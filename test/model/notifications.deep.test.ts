import { describe, expect, it } from "@jest/globals";
import { placesOf } from "../../shared/notifications/decide-hold.ts";
import type { Destination } from "../../shared/notifications/destination.ts";
import { parseNotification } from "../../shared/notifications/messages/notification.ts";
import { createNoticeStore } from "../../shared/notifications/notice-store.ts";
import { createTable } from "../../shared/runtime/table.ts";
import type { SecurityAlertChanged } from "../../shared/security/alerts/alert-publisher.ts";
import { isAtLeast, type RiskLevel, riskLevels } from "../../shared/terms/risk-levels.ts";
import { rangeOf } from "../support/depth.ts";
import {
  changeOf,
  createNotificationWorld,
  destinationAt,
  NOON,
  startNotificationTable,
} from "../support/notifications.ts";
import { createRandom } from "../support/random.ts";
import { usePerFile } from "../support/use-started.ts";

const MINUTE = 60_000;
const ALERTS = 45;

const table = usePerFile(startNotificationTable);

/** Destinations whose filters, quiet hours and digests differ. */
const destinations: readonly Destination[] = [
  destinationAt("all"),
  destinationAt("high", { filter: { levels: ["HIGH", "CRITICAL"] } }),
  destinationAt("raised", { filter: { changes: ["raised"], rules: ["system_errors"] } }),
  destinationAt("quiet", { quietHours: { from: "11:00", to: "12:25", timeZone: "UTC", exceptCritical: true } }),
  destinationAt("hourly", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }),
];

/** The history of an alert: raised, then repeated at any level, perhaps acknowledged, perhaps resolved. */
const historyOf = (n: string, organizationId: string, random: () => number): SecurityAlertChanged[] => {
  const pick = () => riskLevels[Math.floor(random() * riskLevels.length)] ?? "LOW";
  const rule = random() < 0.8 ? "system_errors" : "policy_violation";
  const raised = pick();
  let level: RiskLevel = raised;
  let revision = 1;
  const about = () => ({
    organizationId,
    rule,
    level,
    revision: revision++,
    ...(level !== raised && { raisedLevel: raised, escalatedAt: NOON }),
  });
  const events = [changeOf(n, about())];
  for (let i = 0; i < Math.floor(random() * 3); i++) {
    const next = pick();
    if (isAtLeast(next, level)) level = next;
    events.push(changeOf(n, { change: "repeated", ...about() }));
  }
  if (random() < 0.3) events.push(changeOf(n, { change: "acknowledged", status: "acknowledged", ...about() }));
  if (random() < 0.3) events.push(changeOf(n, { change: "resolved", status: "resolved", ...about() }));
  return events;
};

/** The notifications that a destination got: once per alert and claim if nothing was doubled. */
type Got = { destinationId: string; alertId: string; claim: string; change: string; level: RiskLevel; rule: string };

const run = async (seed: number) => {
  const random = createRandom(seed);
  const organizationId = `model ${seed}`;
  const client = table.translated();
  // Whether the dispatcher that makes the calls has been killed.
  const state = { isKilled: false, failing: true };
  client.middlewareStack.add(
    (next) => async (args) => {
      if (state.isKilled) throw new Error("killed");
      if (!state.failing) return next(args);
      const fault = random();
      if (fault < 0.01) state.isKilled = true;
      if (fault < 0.04) throw new Error("not executed");
      const answer = await next(args);
      if (fault > 0.97) throw new Error("the answer is lost");
      return answer;
    },
    { step: "initialize", name: "faults" },
  );
  const world = createNotificationWorld(table.translated(), { organizationId, client });
  world.faults.queue = () => {
    if (state.isKilled) return "refused";
    const fault = state.failing ? random() : 1;
    return fault < 0.03 ? "refused" : fault < 0.06 ? "lost" : undefined;
  };
  for (const destination of destinations) await world.addDestination(destination);

  // The storm windows in which a delivery took a place.
  const windows = new Map<string, Set<string>>();
  const notices = createNoticeStore(createTable(client, "notifications"));
  const watched = {
    ...notices,
    async takePlace(...[organization, ref, at]: Parameters<typeof notices.takePlace>) {
      const fullSince = await notices.takePlace(organization, ref, at);
      if (fullSince === undefined) {
        const window = `${ref.destinationId} ${placesOf(at.level)} ${await world.windowOf(ref.destinationId)}`;
        windows.set(window, (windows.get(window) ?? new Set()).add(ref.deliveryId));
      }
      return fullSince;
    },
  };

  const histories = rangeOf(ALERTS).map((n) => historyOf(`${n}`, organizationId, random));
  // Each event once or twice, and any event may overtake others.
  const waiting = histories
    .flatMap((events) => events.flatMap((event) => (random() < 0.3 ? [event, event] : [event])))
    .map((event, i) => ({ event, order: i + random() * 40 }))
    .sort((a, b) => a.order - b.order)
    .map(({ event }) => event);
  for (let deliveries = 0; waiting.length > 0; deliveries++) {
    state.failing = deliveries < 150;
    state.isKilled = false;
    const dispatch = world.newDispatcher(watched);
    const batch = waiting.splice(0, 1 + Math.floor(random() * 4));
    const outcomes = await Promise.allSettled(batch.map(dispatch));
    waiting.push(...batch.filter((_, i) => outcomes[i]?.status === "rejected"));
    state.isKilled = false;
    world.time.now += random() < 0.05 ? 4 * MINUTE : Math.floor(random() * 8_000);
    if (random() < 0.2) await world.sendDue();
  }
  for (let hour = 0; hour < 3; hour++) {
    world.time.now += 60 * MINUTE;
    await world.sendDue();
  }
  return { world, histories, windows };
};

const gotIn = ({ sent }: Awaited<ReturnType<typeof run>>["world"]): Got[] =>
  [...sent.values()].flatMap(({ delivery, held }) => {
    const { destinationId } = delivery;
    const toGot = (change: string, { id, level, rule }: { id: string; level: RiskLevel; rule: string }): Got => ({
      destinationId,
      alertId: id,
      change,
      level,
      rule,
      claim: change === "resolved" ? "resolved" : level,
    });
    if (delivery.notification === undefined) return held.map(({ change, entry }) => toGot(change, entry));
    const notification = parseNotification(delivery.notification);
    if (!("alert" in notification.data)) throw new Error("A single delivery is not about an alert.");
    return [toGot(notification.type.replace("security.alert.", ""), notification.data.alert)];
  });

describe("notifications", () => {
  it.each(rangeOf(4))(
    "of duplicated and reordered events, with failing calls and killed dispatchers: seed %i",
    async (seed) => {
      const { world, histories, windows } = await run(20_261_121 + seed);
      expect(world.messages).toEqual([]);
      const got = gotIn(world);
      const names = got.map(({ destinationId, alertId, claim }) => `${destinationId} ${alertId} ${claim}`);
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);

      for (const { id, filter } of destinations) {
        const own = got.filter(({ destinationId }) => destinationId === id);
        const takes = <Value>(list: readonly Value[] | undefined, value: Value) => list?.includes(value) ?? true;
        const isTaken = ({ level, rule, change }: Got) =>
          takes(filter.levels, level) && takes(filter.rules, rule) && takes(filter.changes?.map(String), change);
        expect(own.filter((one) => !isTaken(one))).toEqual([]);

        for (const events of histories) {
          const [first, last] = [events[0]?.alert, events.at(-1)?.alert];
          if (first === undefined || last === undefined) throw new Error("An alert has no history.");
          const claims = own.filter(({ alertId }) => alertId === first.id).map(({ claim }) => claim);
          const isRuleTaken = takes(filter.rules, first.rule);
          // Its level when it was raised, or a later state that overtook it.
          if (isRuleTaken && takes(filter.levels, first.level)) expect(claims).not.toEqual([]);
          const learnsAll = isRuleTaken && filter.changes === undefined && takes(filter.levels, last.level);
          if (learnsAll) expect(claims).toContain(last.status === "resolved" ? "resolved" : last.level);
        }
      }

      // A place may stay empty, but a window never has more deliveries than places.
      const single = new Set(
        [...world.sent.values()].filter(({ held }) => held.length === 0).map(({ delivery }) => delivery.deliveryId),
      );
      const sizes = [...windows.values()].map((ids) => [...ids].filter((one) => single.has(one)).length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(20);
      expect(got.filter(({ destinationId }) => destinationId === "all").length).toBeGreaterThan(ALERTS - 1);
    },
  );
});
