import { describe, expect, it } from "@jest/globals";
import { createFraudWarningStore, MAX_PLACES } from "../../../shared/money/fraud-warning-store.ts";
import { HourCounts } from "../../../shared/money/money-counts.ts";
import { createMoneyHourStore } from "../../../shared/money/money-hour-store.ts";
import { createMoneyStore } from "../../../shared/money/money-store.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { createMoneyEvents } from "../../detection/money-events.ts";
import { useTable } from "../../support/use-table.ts";

const table = useTable("detection");
const HOUR = Date.UTC(2026, 10, 21, 10);
const store = createMoneyHourStore(table);
const warnings = createFraudWarningStore(table);
const made = createMoneyEvents();
let organizations = 0;
const newOrganization = () => `hours ${++organizations}`;

describe("the counts of an hour", () => {
  it("are those of its events, and of no other hour or organization", async () => {
    const organization = newOrganization();
    const events = [
      made.failed(HOUR, { payment: "pi_1", amount: 501 }),
      made.failed(HOUR, { amount: 500, failureCode: "other" }),
      made.failed(HOUR, { failureCode: "authentication_required" }),
      made.succeeded(HOUR + 1_000, { payment: "pi_1" }),
      made.succeeded(HOUR + HOUR_MS - 1_000, { amount: 500 }),
      made.refund(HOUR, 70),
      made.refund(HOUR, 30),
      made.dispute(HOUR),
      made.warning(HOUR),
      made.failed(HOUR - 1_000),
      made.failed(HOUR + HOUR_MS),
    ];
    const days = createMoneyStore(table);
    await days.count(organization, events);
    await days.count(newOrganization(), [made.failed(HOUR)]);
    expect(await store.tally(organization, HOUR)).toEqual({
      succeeded: 2,
      failed: 3,
      probing: 2,
      small: 1,
      retried: 1,
      refunds: 2,
      disputes: 1,
      amounts: { eur: 100 },
    });
    expect(await store.tally(newOrganization(), HOUR)).toEqual(HourCounts.parse({}));
  });

  it("are kept unless larger ones are, and read from a time to another", async () => {
    const organization = newOrganization();
    const keep = (hour: number, counts: Partial<HourCounts>) =>
      store.keep(organization, hour, HourCounts.parse(counts));
    const first = Date.UTC(2026, 9, 24);
    for (const hour of [first - HOUR_MS, first, HOUR]) await keep(hour, { failed: 1 });
    await keep(HOUR - HOUR_MS, { failed: 3, amounts: { eur: 5 } });
    await keep(HOUR - HOUR_MS, { failed: 2 });
    const kept = await store.readHours(organization, { from: first, to: HOUR });
    expect([...kept]).toEqual([
      [first, HourCounts.parse({ failed: 1 })],
      [HOUR - HOUR_MS, HourCounts.parse({ failed: 3, amounts: { eur: 5 } })],
    ]);
  });
});

describe("the place of a warning", () => {
  it("is its own among those of the day, whoever asks at the same time", async () => {
    const organization = newOrganization();
    const placeOf = (eventId: string, at = HOUR) =>
      warnings.placeOfWarning(organization, { eventId, at, payment: `pi of ${eventId}` });
    expect(await placeOf("evt_a")).toBe(1);
    const places = await Promise.all(["evt_b", "evt_c", "evt_b", "evt_a"].map((id) => placeOf(id)));
    expect(places.map((place) => place - 1).sort()).toEqual([0, 1, 1, 2]);
    expect(await placeOf("evt_a")).toBe(1);
    expect(await placeOf("evt_d", HOUR + DAY_MS)).toBe(1);
    const read = await warnings.readWarnings(organization, { from: HOUR, to: HOUR + DAY_MS });
    expect(read[0]).toEqual({ eventId: "evt_a", at: HOUR, payment: "pi of evt_a", place: 1 });
    expect(read.map(({ place }) => place)).toEqual([1, 2, 3]);
    for (let i = 0; i < MAX_PLACES; i++) await placeOf(`evt_more_${i}`);
    expect(await placeOf("evt_last")).toBe(MAX_PLACES + 1);
  });
});
