import { describe, expect, it } from "@jest/globals";
import { type MoneyEvent, moneyEventsOf } from "../../../shared/money/money.ts";
import { createMoneyStore } from "../../../shared/money/money-store.ts";
import type { MoneyFact } from "../../../shared/provider/money-fact.ts";
import { useTable } from "../../support/use-table.ts";

const table = useTable("detection");
const DAY = Date.UTC(2026, 10, 21);
const store = createMoneyStore(table);
let organizations = 0;
const newOrganization = () => `money ${++organizations}`;

const event = (id: string, money: MoneyFact, at = DAY + 3_600_000): MoneyEvent => ({
  id,
  createdSeconds: at / 1_000,
  money,
});
const zeros = { succeeded: 0, failed: 0, refunds: 0, disputes: 0, warnings: 0, payouts: 0, amounts: {} };

describe("the counts of money", () => {
  it("have each event once, in the day of its creation, whoever counts it again", async () => {
    const organization = newOrganization();
    const events = [
      event("evt_1", { kind: "succeeded", payment: "pi_1", amount: 500, currency: "eur" }),
      event("evt_2", { kind: "failed", payment: "pi_2", failureCode: "card_declined" }),
      event("evt_3", { kind: "refund", amount: 100, currency: "eur" }),
      event("evt_4", { kind: "refund", amount: 7, currency: "jpy" }),
      event("evt_5", { kind: "dispute" }, DAY - 1_000),
    ];
    await store.count(organization, events);
    await store.count(organization, [...events, event("evt_6", { kind: "warning" }), ...events]);
    await store.count(organization, [event("evt_7", { kind: "payout" })]);
    await expect(store.readDays(organization)).resolves.toEqual([
      { ...zeros, day: "2026-11-20", disputes: 1 },
      {
        ...zeros,
        day: "2026-11-21",
        succeeded: 1,
        failed: 1,
        refunds: 2,
        warnings: 1,
        payouts: 1,
        amounts: { eur: 100, jpy: 7 },
      },
    ]);
    await expect(store.readDays(newOrganization())).resolves.toEqual([]);
  });

  it("lose nothing and count nothing twice if many workers count the same events at once", async () => {
    const organization = newOrganization();
    const events = Array.from({ length: 120 }, (_, i) => event(`evt_${i}`, { kind: "failed" }));
    await store.count(organization, events.slice(0, 70));
    await Promise.all([store.count(organization, events), store.count(organization, events.slice(60))]);
    const [day] = await store.readDays(organization);
    expect(day?.failed).toBe(120);
  });

  it("leave out events from before the second of the connect", () => {
    const connectedAt = DAY + 500;
    const at = (ms: number) => ({
      ...event("evt", { kind: "payout" }, ms),
      type: "payout.created",
      observations: [],
      isDeauthorization: false,
    });
    const other = { ...at(DAY + 2_000), money: undefined };
    const { money: _, ...withoutMoney } = other;
    expect(moneyEventsOf([at(DAY - 1_000), at(DAY), at(DAY + 1_000), withoutMoney], connectedAt)).toEqual([
      { id: "evt", createdSeconds: DAY / 1_000, money: { kind: "payout" } },
      { id: "evt", createdSeconds: DAY / 1_000 + 1, money: { kind: "payout" } },
    ]);
  });
});
