/** A drill is in no number: two organizations with the same events differ in nothing that counts, but one has drills. */
import { describe, expect, it } from "@jest/globals";
import { createHourFactsStore } from "../../../shared/detection/event-facts-store.ts";
import { eventSource } from "../../../shared/exports/event-source.ts";
import { createPeriodEventsStore } from "../../../shared/reports/period-events-store.ts";
import { readAlerts } from "../../../shared/reports/read-lists.ts";
import { createAlertPeriodStore } from "../../../shared/security/alerts/alert-period-store.ts";
import { createHourEventsStore } from "../../../shared/security/feed/hour-events-store.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import {
  createEventCountStore,
  createSelectionCountStore,
} from "../../../shared/security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { DAY_MS, expiryOf, startOfHour } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { arbitraryEvents, arbitrarySelection, HOUR, NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";
import { DRILL_TABLES, drillWorld } from "./world.ts";

const SPAN = 5 * HOUR;
const AFTER = NOW + HOUR;

const database = useDatabase(...DRILL_TABLES);
const world = drillWorld(database);
const events = database.table("securityEvents");

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const sorted = <Item extends { id: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Everything of an organization that counts, exports or judges events and alerts. */
const countedOf = async (organizationId: string, selections: readonly object[]) => {
  const scope = organizationKey(organizationId);
  const period = createPeriodEventsStore(events);
  const span = { from: NOW - SPAN, to: AFTER };
  const hours = Array.from({ length: 7 }, (_, i) => startOfHour(NOW - SPAN) + i * HOUR);
  const count = (selection: object) =>
    createSelectionCountStore(events).count(
      { organizationId, since: span.from, ...selection },
      { max: 10_000, now: AFTER },
    );
  const exportOf = (format: "ndjson" | "csv" | "ocsf") =>
    eventSource({ events: world.events, clock: () => AFTER }, organizationId, {
      format,
      filter: { since: span.from, until: span.to },
    }).read(undefined);
  const whole = {
    range: await createEventCountStore(events).countRange(scope, span, { now: AFTER }),
    bySelection: await Promise.all(selections.map(async (selection) => [...((await count(selection)) ?? [])])),
    openHours: await createOpenHourStore(database.table("securityRollups"), () => AFTER).list(scope, 0),
    facts: await Promise.all(
      hours.map(async (hour) => sorted(await createHourFactsStore(events).readHour(scope, hour, AFTER))),
    ),
    feed: await Promise.all(hours.map((hour) => collect(createHourEventsStore(events).read(scope, hour, AFTER)))),
    reported: await collect(period.read(organizationId, span, AFTER)),
    unprocessed: await period.countUnprocessed(organizationId, AFTER, AFTER),
    oldest: await period.oldest(organizationId),
    exports: await Promise.all((["ndjson", "csv", "ocsf"] as const).map(exportOf)),
    alertCounts: await world.alerts.countUnresolved(organizationId, AFTER),
    findings: await world.alerts.listUnresolvedFindings(organizationId, AFTER),
    reportedAlerts: await readAlerts(world.alerts, organizationId, 0, AFTER),
    previewedAlerts: await createAlertPeriodStore(database.table("securityAlerts")).list(organizationId, span, 100),
  };
  return JSON.parse(JSON.stringify(whole).replaceAll(organizationId, "ORGANIZATION"));
};

let organizations = 0;

describe("drills", () => {
  it("change nothing that counts, judges, exports or reports events and alerts", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryEvents("ORGANIZATION", SPAN, { maxLength: 12 }),
        fc.array(fc.integer({ min: 0, max: SPAN }), { minLength: 1, maxLength: 3 }),
        fc.array(arbitrarySelection("ORGANIZATION", SPAN), { maxLength: 6 }),
        async (generated, drillAges, selections) => {
          const [plain, drilled] = [`plain-${++organizations}`, `drill-${organizations}`];
          const putAll = async (organizationId: string) => {
            for (const event of generated) {
              const own: SecurityEvent = { ...event, organizationId };
              await world.events.put({ event: own, ttl: expiryOf(own.timestamp, 90) });
            }
          };
          await Promise.all([plain, drilled].map(putAll));
          for (const age of drillAges.toSorted((a, b) => b - a)) {
            world.time.now = NOW - age;
            const id = await world.start(drilled);
            await world.worker({ logLevel: "CRITICAL", alertThreshold: "LOW" }).run({ organizationId: drilled, id });
          }
          const wanted = selections.map(({ organizationId: _, ...selection }) => selection);
          const [before, after] = await Promise.all([plain, drilled].map((one) => countedOf(one, wanted)));
          expect(after).toEqual(before);
          // The lists of events and alerts have them.
          const listed = await world.events.list(
            { organizationId: drilled, since: NOW - SPAN, eventType: "AUTHENTICATION_FAILURE" },
            { limit: 100, now: AFTER },
          );
          expect(listed.events.filter(({ drill }) => drill === true).length).toBe(5 * drillAges.length);
          const { items } = await world.alerts.list(drilled, { limit: 10, after: undefined, now: AFTER });
          expect(items.map(({ drill }) => drill)).toEqual(drillAges.map(() => true));
        },
      ),
      { numRuns: depth(8, 60) },
    );
  });

  it("do not postpone the oldest event of a report, and are none themselves", async () => {
    const organizationId = "only-drills";
    const period = createPeriodEventsStore(events);
    for (let drill = 0; drill < 3; drill++) {
      world.time.now = NOW - DAY_MS + drill * HOUR;
      await world.worker().run({ organizationId, id: await world.start(organizationId) });
    }
    expect(await period.oldest(organizationId)).toBeUndefined();
    const [event] = fc.sample(arbitraryEvents(organizationId, 0, { minLength: 1, maxLength: 1 }), 1)[0] ?? [];
    if (event === undefined) throw new Error("no event");
    await world.events.put({ event, ttl: expiryOf(event.timestamp, 90) });
    expect(await period.oldest(organizationId)).toMatchObject({ timestamp: NOW });
  });
});
