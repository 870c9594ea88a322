import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../../../shared/runtime/document-translation.ts";
import { createTable } from "../../../../shared/runtime/table.ts";
import { createAlertDecisionStore } from "../../../../shared/security/alerts/alert-decision-store.ts";
import { manualAlert } from "../../../../shared/security/monitoring/alert-actions.ts";
import {
  type AlertStores,
  alertStoresAt,
  alertStoresOver,
  listAll,
  NOON,
  reasonAt,
  startAlertTable,
} from "../../../support/alerts.ts";
import { countUnits } from "../../../support/consumed-units.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { depth, isDeep } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { startLossyProxy } from "../../../support/lossy-proxy.ts";
import { identityAt } from "../../../support/request-identity.ts";

let table: Awaited<ReturnType<typeof startAlertTable>>;
let alerts: AlertStores;
let organizations = 0;
const freshOrganization = () => `acme-${++organizations}`;
const asked = { action: "generate_alert", title: "Look", riskLevel: "LOW" } as const;

beforeAll(async () => {
  table = await startAlertTable();
  alerts = table.stores();
});
afterAll(() => table.stop());

describe("a list", () => {
  it("has every alert of the status once, newest firstSeen first, for any page size", async () => {
    const status = fc.constantFrom("open" as const, "acknowledged" as const, "resolved" as const);
    const history = fc.array(fc.record({ age: fc.integer({ min: 0, max: 4 }), status }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 5 }), async (made, limit) => {
        const organization = freshOrganization();
        const decision = { by: "ada", now: NOON };
        for (const [i, { age, status: wanted }] of made.entries()) {
          const { alert } = await alerts.raise(organization, reasonAt(NOON - age, { subject: String(i) }), NOON);
          if (wanted === "acknowledged") await alerts.acknowledge(organization, alert.id, decision);
          if (wanted === "resolved") await alerts.resolve(organization, alert.id, decision);
        }
        const all = await listAll(alerts, organization, { limit });
        expect(all.map(({ subject, status: found }) => [subject, found]).sort()).toEqual(
          made.map((one, i) => [String(i), one.status]).sort(),
        );
        const order = all.map(({ firstSeen, id }) => [firstSeen, id] as const);
        expect(order).toEqual([...order].sort(([a, x], [b, y]) => b - a || (x < y ? 1 : -1)));
        const counts = { open: 0, acknowledged: 0, resolved: 0 };
        for (const { status: wanted } of made) counts[wanted]++;
        const none = { LOW: 0, MEDIUM: 0, CRITICAL: 0 };
        await expect(alerts.countUnresolved(organization, NOON)).resolves.toEqual({
          open: { ...none, HIGH: counts.open },
          acknowledged: { ...none, HIGH: counts.acknowledged },
          partial: false,
        });
        for (const one of ["open", "acknowledged", "resolved"] as const) {
          await expect(listAll(alerts, organization, { limit, status: one })).resolves.toEqual(
            all.filter(({ status: found }) => found === one),
          );
        }
      }),
      { seed: 20_261_121, numRuns: depth(4, 25) },
    );
  });

  it("is empty if there are no alerts", async () => {
    await expect(
      alerts.list(freshOrganization(), { status: undefined, limit: 50, after: undefined, now: NOON }),
    ).resolves.toEqual({ items: [], next: undefined });
  });

  if (isDeep)
    it("ends a page after 4 MB of items, with a next page, in order", async () => {
      const organization = freshOrganization();
      const eventIds = Array.from({ length: 100 }, (_, i) => "🌵".repeat(120) + i);
      const message = "🌵".repeat(1_024);
      const made = Array.from({ length: 130 }, (_, i) =>
        manualAlert(
          { ...asked, message, eventIds },
          { at: NOON + i, random: crypto.getRandomValues(new Uint8Array(16)) },
        ),
      );
      for (const alert of made) await alerts.put(organization, alert, identityAt(NOON));
      const resolved = made.slice(0, 65);
      for (const { id } of resolved) await alerts.resolve(organization, id, { by: "ada", now: NOON });
      const first = await alerts.list(organization, { status: undefined, limit: 1_000, after: undefined, now: NOON });
      expect(first.next).toBeDefined();
      const all = await listAll(alerts, organization, { limit: 1_000 });
      expect(all.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
    });

  it("continues after expired alerts", async () => {
    const organization = freshOrganization();
    const day = 86_400_000;
    for (let i = 0; i < 5; i++) {
      await alerts.raise(organization, reasonAt(NOON - i, { subject: String(i) }), NOON);
      const old = { subject: `old ${i}`, firstSeen: NOON - i, lastSeen: NOON - 100 * day };
      await alerts.raise(organization, reasonAt(NOON, old), NOON);
    }
    const found = await listAll(alerts, organization, { limit: 2 });
    expect(found.map(({ subject }) => subject)).toEqual(["0", "1", "2", "3", "4"]);
  });
});

describe("an alert of an operator", () => {
  it("is stored once, even if the answer was lost", async () => {
    const proxy = await startLossyProxy(table.endpoint);
    const organization = freshOrganization();
    const metadata = { ticket: "A-1", n: { deep: [1, 2] } };
    const alert = manualAlert(
      { ...asked, eventIds: ["b", "a"], metadata },
      { at: NOON, random: crypto.getRandomValues(new Uint8Array(16)) },
    );
    await alertStoresAt(proxy.url).put(organization, alert, identityAt(NOON));
    await expect(listAll(alerts, organization)).resolves.toEqual([alert]);
    expect(alert).toMatchObject({ eventIds: ["b", "a"], metadata, rule: "manual", count: 1 });
    await expect(alerts.acknowledge(organization, alert.id, { by: "ada", now: NOON })).resolves.toMatchObject({
      outcome: "changed",
    });
    await expect(alerts.resolve(organization, alert.id, { by: "ada", now: NOON })).resolves.toMatchObject({
      alert: { eventIds: ["b", "a"], metadata },
    });
    proxy.stop();
  });
});

describe("the cost of an operator's alert", () => {
  it("is three write units, and six with an Idempotency-Key: for the transaction and its check", async () => {
    const client = table.documentClient(documentTranslation);
    const measure = countUnits(client);
    const store = createAlertDecisionStore(createTable(client, table.tableName), { retentionDays: 90 });
    const costOf = async (isKeyed: boolean) => {
      const alert = manualAlert(asked, { at: NOON, random: crypto.getRandomValues(new Uint8Array(16)) });
      return (await measure(() => store.put(freshOrganization(), alert, identityAt(NOON, { isKeyed })))).write;
    };
    expect([await costOf(false), await costOf(true)]).toEqual([3, 6]);
  });
});

describe("the cost of a list", () => {
  deepIt("depends on the returned alerts, not on the stored ones", async () => {
    const client = table.documentClient(documentTranslation);
    const measure = countUnits(client);
    const counted = alertStoresOver(client);
    const organization = freshOrganization();
    const page = () => counted.list(organization, { status: "open", limit: 10, after: undefined, now: NOON });
    const raise = async (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        await counted.raise(organization, reasonAt(NOON + i, { subject: String(i) }), NOON);
      }
    };
    await raise(0, 11);
    const few = await measure(page);
    await raise(11, 200);
    const many = await measure(page);
    expect(many.read).toBeLessThanOrEqual(few.read + 0.5);
    expect(many).toEqual({ read: expect.any(Number), write: 0 });
  });
});
