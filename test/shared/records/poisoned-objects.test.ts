/** Poisoned objects from the provider's JSON to the store: one object's fault is one object's. */
import { describe, expect, it } from "@jest/globals";
import { parseDeliveredEvent } from "../../../shared/provider/stripe/events.ts";
import { parseObject } from "../../../shared/provider/stripe/objects.ts";
import { type ApplyOptions, createApply } from "../../../shared/records/apply.ts";
import type { Observation } from "../../../shared/records/observation.ts";
import { recordTypes } from "../../../shared/records/record.ts";
import { toItem } from "../../../shared/records/record-item.ts";
import { isSetAside, setAside } from "../../../shared/records/set-aside.ts";
import { isItemRefused } from "../../../shared/runtime/call-store.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { startRecordTable } from "../../support/record-table.ts";
import { customer, recordsInMemory, seen, subscription, subscriptionFields, touched } from "../../support/records.ts";
import { usePerFile } from "../../support/use-started.ts";
import * as given from "../provider/stripe/fixtures.ts";

quietLog();

const table = usePerFile(startRecordTable);

const NOW = given.CREATED_MS + 1_000;
const observedAt = { from: given.CREATED_SECONDS, to: given.CREATED_SECONDS };
const reread: ApplyOptions["reread"] = async (type, id) => setAside(type, id, "unreadable");
const events = { reread, updatesObservedAt: true };
const applyTo = (store: Parameters<typeof createApply>[0]["store"]) =>
  createApply({ store, now: () => NOW, newToken: newRequestToken });

const tooLarge = (id: string): Observation => {
  const items = Array.from({ length: 210 }, () => ({ ...subscriptionFields.items?.[0], priceId: "x".repeat(2_000) }));
  return { ...subscription(seen(1), {}, id), fields: { ...subscriptionFields, items } } as Observation;
};

describe("an object that the store refuses", () => {
  it.each<[string, Observation]>([
    ["more than 400 KB", tooLarge("sub_bad")],
    ["a lone surrogate", { ...subscription(seen(1), { currency: "\ud800" }, "sub_bad") } as Observation],
    ["a key that is too long", subscription(seen(1), {}, "x".repeat(1_100))],
  ])("is set aside, and all others of its batch are stored: %s", async (_what, bad) => {
    const organization = table.newOrganization();
    const stores = table.stores();
    const good = Array.from({ length: 60 }, (_, i) => customer(seen(1), {}, `cus_${i}`));
    const { written, setAside: aside } = await applyTo(stores)(organization, [...good, bad], events);
    expect(written).toMatchObject({ customers: 60, subscriptions: 0 });
    expect(aside).toEqual([setAside("subscriptions", bad.id, "refused")]);
    expect(await stores.get(organization, { type: "customers", id: "cus_59" })).toBeDefined();
  });

  it("is told from a store that does not answer", async () => {
    const error = await table
      .stores()
      .get("acme", { type: "customers", id: "\ud800" })
      .catch((cause: unknown) => cause);
    expect(isItemRefused(error)).toBe(true);
    const outage = Object.assign(new Error("down"), { name: "InternalServerError" });
    const failing = { ...recordsInMemory().store, put: () => Promise.reject(outage) };
    await expect(applyTo(failing)("acme", [customer(seen(1))], events)).rejects.toBe(outage);
    expect(isItemRefused(outage)).toBe(false);
  });
});

it("an object that cannot be read is set aside, and its record stays", async () => {
  const organization = table.newOrganization();
  const stores = table.stores();
  const apply = applyTo(stores);
  await apply(organization, [customer(seen(1), { name: "Ada" })], events);
  const key = { type: "customers", id: "cus_1" } as const;
  await expect(apply(organization, [touched(key, seen(5))], events)).resolves.toMatchObject({
    setAside: [setAside("customers", "cus_1", "unreadable")],
  });
  expect(await stores.get(organization, key)).toMatchObject({ fields: { name: "Ada" } });
});

/** Texts with lone surrogates, and values of every other type. */
const poison = fc.oneof(
  fc.string({ unit: fc.constantFrom("\ud800", "\udfff", "\u0000", "a", "/", "..", "\n", "🌱"), maxLength: 300 }),
  fc.constantFrom<unknown>(null, -1, -0, 1e20, 1.5, 1e308, [], {}, true, "x".repeat(100_000), "\ud800".repeat(2_048)),
);

/** Every path to a value in an object. */
const pathsIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, part]) => pathsIn(part, [...path, name]))]
    : [path];

const planted = (value: unknown, [name, ...rest]: readonly string[], bad: unknown): unknown => {
  if (name === undefined) return bad;
  if (Array.isArray(value)) return value.map((part, i) => (String(i) === name ? planted(part, rest, bad) : part));
  const object = value as Record<string, unknown>;
  return { ...object, [name]: planted(object[name], rest, bad) };
};

const isWellFormed = (item: unknown): boolean => {
  if (typeof item === "string") return item.isWellFormed();
  if (typeof item !== "object" || item === null) return true;
  return Object.entries(item).every(([name, part]) => name.isWellFormed() && isWellFormed(part));
};

const samples = [
  ["customers", given.customer, "customer.updated"],
  ["subscriptions", given.subscription, "customer.subscription.updated"],
  ["subscriptions", given.oldSubscription, "customer.subscription.deleted"],
  ["invoices", given.invoice, "invoice.paid"],
  ["invoices", given.oldInvoice, "invoice.deleted"],
  ["payments", given.payment, "payment_intent.succeeded"],
] as const;

/** An object with up to three poisoned values, or the event about it. */
const poisonedSample = fc.constantFrom(...samples).chain(([type, object, eventType]) => {
  const event = given.event(eventType, object);
  const paths = pathsIn(event);
  return fc.array(fc.tuple(fc.constantFrom(...paths), poison), { minLength: 1, maxLength: 3 }).map((plants) => ({
    type,
    event: plants.reduce<unknown>((whole, [path, bad]) => replaced(whole, path, bad), event),
  }));
});
const replaced = (whole: unknown, path: readonly string[], bad: unknown): unknown =>
  pathsIn(whole).some((one) => one.join("\n") === path.join("\n")) ? planted(whole, path, bad) : whole;

const objectIn = (event: unknown): unknown =>
  (event as { data?: { object?: unknown } | null } | null | undefined)?.data?.object;

/** What a page of a list and a webhook's event make of a payload. */
const observe = ({ type, event }: { type: (typeof recordTypes)[number]; event: unknown }): Observation[] => {
  const listed = parseObject(type, objectIn(event), observedAt);
  const delivered = parseDeliveredEvent(event, NOW);
  expect(isWellFormed(delivered)).toBe(true);
  return [...(isSetAside(listed) ? [] : [listed]), ...(delivered?.observations ?? [])];
};

describe("any poisoned value in any place of an object", () => {
  it("is mapped and applied without an error to a well-formed item", async () => {
    await fc.assert(
      fc.asyncProperty(poisonedSample, async (sample) => {
        const observations = observe(sample);
        const { store } = recordsInMemory(async () => undefined);
        const items: unknown[] = [];
        const put: typeof store.put = (organizationId, record, previous) => {
          items.push(toItem(organizationId, record));
          return store.put(organizationId, record, previous);
        };
        await applyTo({ ...store, put })("acme", observations, events);
        expect(items.every(isWellFormed)).toBe(true);
      }),
      { numRuns: depth(100, 5_000) },
    );
  });

  it("is stored by a real engine", async () => {
    const organization = table.newOrganization();
    const stores = table.stores();
    const samplesOf = fc.sample(poisonedSample, depth(30, 300));
    const observations = samplesOf.flatMap((sample, i) =>
      observe(sample).map((one) => ({ ...one, id: `${one.id}${i}` })),
    );
    const { setAside: aside = [] } = await applyTo(stores)(organization, observations, events);
    expect(aside.filter(({ reason }) => reason === "refused")).toEqual([]);
    let stored = 0;
    for (const type of recordTypes) for await (const _ of stores.listIds(organization, type)) stored++;
    expect(stored).toBeGreaterThan(20);
  });
});
