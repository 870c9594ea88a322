/**
 * Mutes beside quiet hours, digests and storms: failing calls, killed dispatchers and workers, duplicated, delayed and
 * reordered events. A plain oracle says which notifications a destination must and must not have got.
 */
import { describe, expect, it } from "@jest/globals";
import { HiddenItem, hiddenKey, type MuteItem } from "../../shared/mutes/mute-item.ts";
import type { Destination } from "../../shared/notifications/destination.ts";
import { parseNotification } from "../../shared/notifications/messages/notification.ts";
import { createNoticeStore, type NoticeClaim } from "../../shared/notifications/notice-store.ts";
import { createTable, getItem } from "../../shared/runtime/table.ts";
import type { Alert } from "../../shared/security/alerts/alert.ts";
import { alertHash, alertId } from "../../shared/security/alerts/alert-item.ts";
import type { SecurityAlertChanged } from "../../shared/security/alerts/alert-publisher.ts";
import { identityOf } from "../../shared/security/event-id.ts";
import { isAtLeast, type RiskLevel, riskLevels } from "../../shared/terms/risk-levels.ts";
import { depth, rangeOf } from "../support/depth.ts";
import { createTurns } from "../support/interleaving.ts";
import { createMuteWorld } from "../support/mutes.ts";
import {
  changeOf,
  createNotificationWorld,
  destinationAt,
  NOON,
  startNotificationTable,
} from "../support/notifications.ts";
import { quietLog } from "../support/quiet-log.ts";
import { createRandom } from "../support/random.ts";
import { usePerFile } from "../support/use-started.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SEEDS = depth(1, 24);
const ALERTS = depth(16, 40);
const MUTES = depth(8, 16);
/** Changes and mutes begin within this time of each of two days. */
const BUSY = depth(60, 150) * MINUTE;
const WORKER_EVERY = 4 * MINUTE;

quietLog();

const table = usePerFile(startNotificationTable);

const destinations: readonly Destination[] = [
  destinationAt("all"),
  destinationAt("high", { filter: { levels: ["HIGH", "CRITICAL"] } }),
  destinationAt("quiet", { quietHours: { from: "12:40", to: "13:25", timeZone: "UTC", exceptCritical: true } }),
  destinationAt("hourly", { digest: { every: "hour", at: "08:00", timeZone: "UTC" } }),
];
const takes = ({ filter }: Destination, level: RiskLevel): boolean => filter.levels?.includes(level) ?? true;

type Step = { at: number; run: () => void | Promise<void> };
/** The states of an alert, the first one is its raising. */
type History = { id: string; raisedAt: number; states: Alert[] };
type Attempt = { at: number; by: "dispatcher" | "worker"; destinationId: string; alertId: string; claim: string };

/** The oracle of since when a mute acts. Weekly ones act on both days of a run. */
const spanAt = ({ from, until, endedAt = until, weekly }: MuteItem, at: number): number | undefined => {
  if (at < from || at >= Math.min(until, endedAt)) return undefined;
  if (weekly === undefined) return from;
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const day = Math.floor(at / DAY) * DAY;
  const begins = day + minutes(weekly.from) * MINUTE;
  return at >= begins && at < day + minutes(weekly.to) * MINUTE ? Math.max(begins, from) : undefined;
};

const acts = ({ rules, subject, levels, includeCritical }: MuteItem, alert: Alert, level: RiskLevel): boolean =>
  alert.rule !== "detection_rule_off" &&
  (rules?.includes(alert.rule) ?? true) &&
  (subject === undefined || subject === alert.subject) &&
  (levels?.includes(level) ?? (includeCritical || level !== "CRITICAL"));

/** Since when an alert has been as it is: its raising, or its last rise. */
const changedAt = ({ escalatedAt = 0 }: Alert, { raisedAt }: History): number => Math.max(raisedAt, escalatedAt);

const run = async (seed: number) => {
  const random = createRandom(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const organizationId = `mutes ${seed}`;
  const client = table.translated();
  // One call at a time, in an order of the seed, so that every draw belongs to the same call in each run of a seed.
  const turns = createTurns(seed);
  turns.delay(client);
  const state = { isKilled: false, failing: true };
  client.middlewareStack.add(
    (next) => async (args) => {
      if (state.isKilled) throw new Error("killed");
      if (!state.failing) return next(args);
      const fault = random();
      if (fault < 0.01) state.isKilled = true;
      if (fault < 0.03) throw new Error("not executed");
      const answer = await next(args);
      if (fault > 0.98) throw new Error("the answer is lost");
      return answer;
    },
    { step: "initialize", name: "faults" },
  );
  const world = createNotificationWorld(table.translated(), { organizationId, client });
  world.faults.queue = () => {
    if (state.isKilled) return "refused";
    const fault = state.failing ? random() : 1;
    return fault < 0.02 ? "refused" : fault < 0.04 ? "lost" : undefined;
  };
  const muting = createMuteWorld(world, table.translated(), client);
  for (const destination of destinations) await world.addDestination(destination);

  const attempts: Attempt[] = [];
  const watched = (by: Attempt["by"]) => {
    const notices = createNoticeStore(createTable(client, "notifications"));
    const note = ({ destinationId, alert, due }: NoticeClaim) => {
      attempts.push({ at: world.time.now, by, destinationId, alertId: alert.id, claim: due.claim });
    };
    return {
      ...notices,
      deliver(...args: Parameters<typeof notices.deliver>) {
        note(args[0]);
        return notices.deliver(...args);
      },
      hold(...args: Parameters<typeof notices.hold>) {
        note(args[0]);
        return notices.hold(...args);
      },
    };
  };

  const steps: Step[] = [];
  const timeOfStep = () => NOON + (random() < 0.5 ? 0 : DAY) + Math.floor(random() * BUSY);
  const mutes: MuteItem[] = [];
  for (let n = 0; n < MUTES; n++) {
    const at = timeOfStep();
    const rules = pick([undefined, ["system_errors"], ["policy_violation"], ["system_errors", "policy_violation"]]);
    const includeCritical = random() < 0.3;
    const levels = rules === undefined ? pick([["LOW"], ["LOW", "MEDIUM"], ["HIGH"]] as RiskLevel[][]) : undefined;
    const subject = rules?.length === 1 && random() < 0.2 ? `${Math.floor(random() * ALERTS)}` : undefined;
    const weekly =
      random() < 0.4
        ? {
            days: ["saturday" as const, "sunday" as const],
            from: "12:20",
            to: pick(["12:50", "13:30"]),
            timeZone: "UTC",
          }
        : undefined;
    const lasts = weekly === undefined ? 5 * MINUTE + random() * 120 * MINUTE : 30 * HOUR;
    steps.push({
      at,
      async run() {
        const scope = { rules, levels, subject, weekly, includeCritical, until: at + Math.floor(lasts) };
        const mute: MuteItem = await muting.mute(scope);
        mutes.push(mute);
        if (random() < 0.3) {
          steps.push({
            at: at + Math.floor(random() * 30 * MINUTE),
            async run() {
              if (await muting.end(mute)) mute.endedAt = world.time.now;
            },
          });
        }
      },
    });
  }

  const histories: History[] = [];
  const waiting: { event: SecurityAlertChanged; from: number }[] = [];
  const publish = (event: SecurityAlertChanged) => {
    world.storedAlerts.set(event.alert.id, event.alert);
    const delay = () => (random() < 0.8 ? 0 : Math.floor(random() * 12 * MINUTE));
    waiting.push({ event, from: world.time.now + delay() });
    if (random() < 0.3) waiting.push({ event, from: world.time.now + delay() });
  };
  for (let n = 0; n < ALERTS; n++) {
    const raisedAt = timeOfStep();
    const rule = pick(["system_errors", "system_errors", "policy_violation", "detection_rule_off"]);
    const raised = pick(riskLevels);
    const id = alertId(alertHash("finding", rule, `${n}`), raisedAt, identityOf("model", n));
    const history: History = { id, raisedAt, states: [] };
    histories.push(history);
    const change = (
      at: number,
      kind: SecurityAlertChanged["change"],
      next: (before: Alert | undefined) => Partial<Alert>,
    ) =>
      steps.push({
        at,
        run() {
          const before = history.states.at(-1);
          if (before?.status === "resolved") return;
          const event = changeOf(`${n}`, {
            ...before,
            id,
            organizationId,
            change: kind,
            at: world.time.now,
            rule,
            revision: history.states.length + 1,
            ...next(before),
          });
          history.states.push(event.alert);
          publish(event);
        },
      });
    change(raisedAt, "raised", () => ({ level: raised }));
    let at = raisedAt;
    for (let i = 0; i < Math.floor(random() * 3); i++) {
      at += 1 + Math.floor(random() * 40 * MINUTE);
      const level = pick(riskLevels);
      change(at, "repeated", (before) =>
        before === undefined || isAtLeast(before.level, level)
          ? {}
          : { level, raisedLevel: raised, escalatedAt: world.time.now },
      );
    }
    if (random() < 0.2) change(at + MINUTE, "acknowledged", () => ({ status: "acknowledged" }));
    if (random() < 0.35) change(at + 1 + Math.floor(random() * HOUR), "resolved", () => ({ status: "resolved" }));
  }

  /** A batch of events and the worker at once; what fails comes again. */
  const work = async (isWorkerDue: boolean) => {
    state.isKilled = false;
    const dispatch = world.newDispatcher(watched("dispatcher"));
    const due = waiting.filter(({ from }) => from <= world.time.now).sort(() => random() - 0.5);
    const batch = due.slice(0, 1 + Math.floor(random() * 6));
    const worker = isWorkerDue ? muting.work(watched("worker")) : undefined;
    const dispatched = Promise.allSettled(batch.map(({ event }) => dispatch(event)));
    await turns.run([dispatched, worker?.catch(() => undefined) ?? Promise.resolve()]);
    const outcomes = await dispatched;
    for (const [i, one] of batch.entries()) {
      if (outcomes[i]?.status === "fulfilled") waiting.splice(waiting.indexOf(one), 1);
    }
    state.isKilled = false;
    await world.sendDue();
  };

  let workedAt = NOON;
  while (world.time.now < NOON + 2 * DAY) {
    const now = world.time.now;
    for (const step of steps.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
      steps.splice(steps.indexOf(step), 1);
      await step.run();
    }
    const isWorkerDue = now >= workedAt + WORKER_EVERY;
    if (isWorkerDue) workedAt = now;
    await work(isWorkerDue);
    const isBusy = waiting.length > 0 || (now - NOON) % DAY < BUSY + 150 * MINUTE;
    world.time.now += isBusy ? 1 + Math.floor(random() * 2 * MINUTE) : HOUR;
  }
  state.failing = false;
  while (world.time.now < NOON + 3 * DAY) {
    while (waiting.length > 0) await work(false);
    await work(true);
    world.time.now += HOUR;
  }
  await world.sendDue();
  return { world, muting, mutes, histories, attempts };
};

/** What each destination got: a claim is the level of a raising or a rise, or `resolved`. */
const gotIn = ({ sent }: Awaited<ReturnType<typeof run>>["world"]) =>
  [...sent.values()].flatMap(({ delivery, held }) => {
    const { destinationId } = delivery;
    const toGot = (change: string, { id, level }: { id: string; level: RiskLevel }) => ({
      destinationId,
      alertId: id,
      claim: change === "resolved" ? change : level,
    });
    if (delivery.notification === undefined) return held.map(({ change, entry }) => toGot(change, entry));
    const { type, data } = parseNotification(delivery.notification);
    if (!("alert" in data)) throw new Error("A single delivery is not about an alert.");
    return [toGot(type.replace("security.alert.", ""), data.alert)];
  });

describe("mutes", () => {
  it.each(rangeOf(SEEDS))(
    "hide until they end, and then each unresolved alert is sent once: seed %i",
    async (index) => {
      const { world, muting, mutes, histories, attempts } = await run(20_261_128 + index);
      const got = gotIn(world);
      const { organizationId } = world;
      expect(world.messages).toEqual([]);
      expect(await muting.mutes.live(organizationId)).toEqual([]);

      // None twice.
      const names = got.map(({ destinationId, alertId, claim }) => `${destinationId} ${alertId} ${claim}`);
      expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);

      // None while a mute acts, unless the change came before the mute did.
      const early = attempts.filter(({ at, alertId, claim }) => {
        const history = histories.find(({ id }) => id === alertId);
        const alert = history?.states.findLast(({ level }) => level === claim);
        if (history === undefined || alert === undefined) return false;
        const since = changedAt(alert, history);
        return mutes.some((mute) => {
          const span = spanAt(mute, at);
          return span !== undefined && span <= since && acts(mute, alert, alert.level);
        });
      });
      expect(early).toEqual([]);

      const hidden = new Map<string, Set<string>>();
      for (const mute of mutes) {
        const { hiddenAlerts, hiddenNotifications, ...counted } = await muting.read(mute);
        const ids = await muting.hidden.alertIds(organizationId, mute.id);
        const items = await Promise.all(
          [...ids].map(async (id) => {
            const stored = await getItem(
              createTable<"mutes">(table.translated(), "mutes"),
              hiddenKey(organizationId, mute.id, id),
            );
            return { id, ...HiddenItem.parse(stored) };
          }),
        );
        // Each hidden alert and each withheld notification is counted once.
        expect(hiddenAlerts).toBe(items.length);
        expect(hiddenNotifications).toBe(items.reduce((sum, { withheld }) => sum + withheld.size, 0));
        for (const level of riskLevels) {
          expect(counted[`hidden${level}`]).toBe(items.filter((item) => item.level === level).length);
        }
        for (const { id, withheld } of items) {
          const before = hidden.get(id) ?? new Set();
          for (const one of withheld) before.add(one.split(" ")[1] ?? "");
          hidden.set(id, before);
        }
        expect(
          (await muting.hidden.listPending(organizationId, mute.id, { until: NOON + 9 * DAY, limit: 100 })).items,
        ).toEqual([]);
      }
      expect(hidden.size).toBeGreaterThan(3);

      for (const destination of destinations) {
        for (const { id, states } of histories) {
          const last = states.at(-1);
          if (last === undefined) throw new Error("An alert has no history.");
          const claims = got.flatMap((one) =>
            one.alertId === id && one.destinationId === destination.id ? [one.claim] : [],
          );
          const known = claims.filter((claim) => claim !== "resolved");
          const about = { destination: destination.id, states, claims, hidden: hidden.get(id) };
          // None never: an unresolved alert is known at its last level.
          if (last.status !== "resolved" && takes(destination, last.level)) {
            expect({ ...about, known: known.includes(last.level) }).toEqual({ ...about, known: true });
          }
          // The end of an alert goes where its raising went, and nowhere else if a mute withheld the raising.
          if (last.status === "resolved" && takes(destination, last.level)) {
            const isWithheld = hidden.get(id)?.has(destination.id) ?? false;
            const isEndDue = known.length > 0 || (!isWithheld && claims.includes("resolved"));
            expect({ ...about, end: claims.includes("resolved") }).toEqual({ ...about, end: isEndDue });
          }
        }
      }
    },
    240_000,
  );
});
