import { beforeAll, describe, expect, it } from "@jest/globals";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import { type Selection, storedCountOf } from "../../../shared/security/event-item.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { createSecurityEventStore, type SecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { expiryOf } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { isAtLeast } from "../../../shared/terms/risk-levels.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { arbitraryEvents, arbitrarySelection, HOUR, NOW, select } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const RETENTION_DAYS = 90;
const seed = 20_261_121;

const database = useDatabase("securityEvents");
let store: SecurityEventStore;
let measured: ReturnType<typeof countUnits>;
let organizations = 0;
const freshOrganization = () => `organization-${++organizations}`;

beforeAll(() => {
  const client = database.newClient();
  measured = countUnits(client);
  store = createSecurityEventStore(database.table("securityEvents", client));
});

const putAll = (events: readonly SecurityEvent[], retentionDays = RETENTION_DAYS) =>
  inParallel(events, 10, (event) => store.put({ event, ttl: expiryOf(event.timestamp, retentionDays) }));
const listAll = async (selection: Selection, limit: number, now = NOW) => {
  const seen: SecurityEvent[] = [];
  let after: string | undefined;
  do {
    const page = await store.list(selection, { limit, after, now });
    expect(page.events.length).toBeLessThanOrEqual(limit);
    seen.push(...page.events);
    after = page.next;
  } while (after !== undefined);
  return seen;
};
const made = (organizationId: string, age: number, fields: Partial<SecurityEvent> = {}): SecurityEvent => ({
  id: eventId(NOW - age, crypto.getRandomValues(new Uint8Array(16))),
  organizationId,
  eventType: "PROVIDER_REQUEST",
  category: "integration",
  riskLevel: "LOW",
  source: "system",
  success: true,
  metadata: { durationMs: 120, attempts: 1 },
  processed: false,
  alertGenerated: false,
  timestamp: NOW - age,
  createdAt: NOW - age,
  ...fields,
});
const all = (organizationId: string): Selection => ({ organizationId, since: 0 });

describe("queries", () => {
  it("return the same events as a filter over all events, for any selection, page size and marks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.context(), fc.infiniteStream(fc.nat()), async (context, numbers) => {
        const organizationId = freshOrganization();
        const [events] = fc.sample(arbitraryEvents(organizationId, 3 * HOUR, { maxLength: 60 }), {
          numRuns: 1,
          seed: numbers.next().value,
        });
        const history = events ?? [];
        await putAll(history);
        const marked = history.filter((_, i) => i % 3 === 0);
        if (marked.length > 0) {
          const ids = marked.map(({ id }) => id);
          expect(await store.markProcessed(organizationId, ids, NOW)).toEqual({
            processed: ids,
            alreadyProcessed: [],
            notFound: [],
          });
        }
        const now = history.map((event) =>
          marked.includes(event) ? { ...event, processed: true, processedAt: NOW } : event,
        );
        const selections = fc.sample(arbitrarySelection(organizationId, 4 * HOUR), {
          numRuns: 12,
          seed: numbers.next().value,
        });
        for (const selection of selections) {
          context.log(JSON.stringify(selection));
          const expected = select(now, selection);
          expect(await listAll(selection, 1 + (numbers.next().value % 70))).toEqual(expected);
          expect(await store.listHighRisk(selection, { limit: 5, now: NOW })).toEqual(
            expected.filter(({ riskLevel }) => isAtLeast(riskLevel, "HIGH")).slice(0, 5),
          );
        }
      }),
      { seed, numRuns: depth(5, 15) },
    );
  });

  it("never return expired events, even before they are deleted", async () => {
    const organizationId = freshOrganization();
    const old = made(organizationId, 2 * HOUR, {
      riskLevel: "CRITICAL",
      userId: "ada",
      eventType: "PERMISSION_DENIED",
      category: "authorization",
    });
    const young = made(organizationId, HOUR, {
      riskLevel: "CRITICAL",
      userId: "ada",
      eventType: "PERMISSION_DENIED",
      category: "authorization",
    });
    await putAll([old, young]);
    const between = expiryOf(old.timestamp, RETENTION_DAYS) * 1000;
    for (const filter of [
      {},
      { userId: "ada" },
      { riskLevel: "CRITICAL" },
      { eventType: "PERMISSION_DENIED" },
      { category: "authorization" },
      { riskLevel: "CRITICAL", processed: false },
    ] satisfies Partial<Selection>[]) {
      expect(await listAll({ ...all(organizationId), ...filter }, 10, between - 1)).toHaveLength(2);
      expect(await listAll({ ...all(organizationId), ...filter }, 10, between)).toEqual([young]);
    }
    expect(await store.listHighRisk(all(organizationId), { limit: 10, now: between })).toEqual([young]);
    expect(await store.markProcessed(organizationId, [old.id, young.id], between)).toEqual({
      processed: [young.id],
      alreadyProcessed: [],
      notFound: [old.id],
    });
  });

  it("keep organizations apart, whatever characters their names have", async () => {
    const names = ["a", "a#HIGH", "a%23HIGH", "A"].map((name) => `${freshOrganization()}${name}`);
    for (const name of names) await putAll([made(name, 0, { riskLevel: "HIGH", userId: "HIGH" })]);
    for (const name of names) {
      for (const filter of [{}, { riskLevel: "HIGH" as const }, { userId: "HIGH" }]) {
        expect((await listAll({ ...all(name), ...filter }, 10)).map(({ organizationId }) => organizationId)).toEqual([
          name,
        ]);
      }
    }
  });

  if (isDeep)
    it("cost at most twice the units of the returned events, among many other events", async () => {
      const organizationId = freshOrganization();
      const rare = Array.from({ length: 30 }, (_, i) =>
        made(organizationId, i * 100_000, {
          riskLevel: "HIGH",
          userId: "eve",
          eventType: "PERMISSION_DENIED",
          category: "authorization",
        }),
      );
      const common = Array.from({ length: 2_000 }, (_, i) => made(organizationId, i * 1_500, { userId: "ada" }));
      await putAll([...common, ...rare]);
      const page = { limit: 20, after: undefined, now: NOW };
      const cost = async (filter: Partial<Selection>) =>
        (await measured(() => store.list({ ...all(organizationId), ...filter }, page))).read;
      expect(await cost({})).toBeLessThanOrEqual(2);
      expect(await cost({ riskLevel: "HIGH" })).toBeLessThanOrEqual(2);
      expect(await cost({ riskLevel: "HIGH", processed: false })).toBeLessThanOrEqual(2);
      // These indexes hold keys: each event shown is fetched for half a unit.
      expect(await cost({ userId: "eve" })).toBeLessThanOrEqual(13);
      expect(await cost({ eventType: "PERMISSION_DENIED" })).toBeLessThanOrEqual(13);
      expect(await cost({ category: "authorization" })).toBeLessThanOrEqual(13);
      expect(await cost({ eventType: "PROVIDER_REQUEST" })).toBeLessThanOrEqual(4);
    });
});

describe("writing", () => {
  it("costs one unit, and one for each index with the event", async () => {
    const organizationId = freshOrganization();
    const cost = async (fields: Partial<SecurityEvent>) =>
      (await measured(() => putAll([made(organizationId, 0, fields)]))).write;
    expect(await cost({})).toBe(1);
    expect(await cost({ userId: "ada" })).toBe(2);
    expect(await cost({ eventType: "PROVIDER_SYNC_COMPLETED" })).toBe(1);
    expect(await cost({ eventType: "PROVIDER_SYNC_FAILED" })).toBe(2);
    expect(
      await cost({ eventType: "PERMISSION_DENIED", category: "authorization", riskLevel: "HIGH", userId: "ada" }),
    ).toBe(6);
  });

  it("stores one event per id", async () => {
    const organizationId = freshOrganization();
    const event = made(organizationId, 0);
    await putAll([event]);
    await putAll([{ ...event, errorMessage: "another" }]);
    expect(await listAll(all(organizationId), 10)).toEqual([event]);
  });

  it("adds to a count of refusals, whose other parts change only if they are as known", async () => {
    const count = made(freshOrganization(), 0, {
      riskLevel: "HIGH",
      metadata: { requestId: "r1", failures: 5, users: 2, isLowerBound: true },
    });
    await putAll([count]);
    const key = { scope: organizationKey(count.organizationId ?? ""), id: count.id };
    const numbers = async () => {
      const selection = { organizationId: count.organizationId ?? "", since: 0, riskLevel: "HIGH" } as const;
      return (await listAll(selection, 1))[0]?.metadata;
    };
    expect(await numbers()).toEqual(count.metadata);
    const known = storedCountOf(count);
    const next = { metadata: JSON.stringify({ requestId: "r1", busiest: [] }), users: 3 };
    // The table, and the two indexes of whole events.
    const ten = { failures: 10, lastAt: NOW + 1_000 };
    const one = { failures: 1, lastAt: NOW + 900 };
    expect(await measured(() => store.addToCount(key, ten, { known, next }))).toMatchObject({ write: 3 });
    // The refusal is older than the last one, whose time stays.
    expect(await store.addToCount(key, one)).toEqual({ isAdded: true, stored: next });
    expect(await store.addToCount(key, one, { known, next: known })).toEqual({ isAdded: false, stored: next });
    expect(await numbers()).toEqual({ requestId: "r1", busiest: [], failures: 16, users: 3, lastAt: NOW + 1_000 });
    const missing = { isAdded: false, stored: undefined };
    const unknown = { ...key, id: eventId(NOW, new Uint8Array(16)) };
    expect(await store.addToCount(unknown, one, { known, next })).toEqual(missing);
    expect(await store.addToCount(unknown, one)).toEqual(missing);
  });

  if (isDeep)
    it("stores each of many events", async () => {
      const organizationId = freshOrganization();
      const events = Array.from({ length: 60 }, (_, i) => made(organizationId, i));
      await putAll(events);
      expect(await listAll(all(organizationId), 100)).toEqual(select(events, all(organizationId)));
    });
});

describe("marking", () => {
  it("returns the outcome of each id, and is idempotent", async () => {
    const [mine, foreign] = [freshOrganization(), freshOrganization()];
    const event = made(mine, 0, { riskLevel: "HIGH" });
    const other = made(foreign, 0, { riskLevel: "HIGH" });
    await putAll([event, other]);
    const unknown = eventId(NOW, new Uint8Array(16));
    const ids = [event.id, event.id, other.id, unknown, "x", "", "🌵"];
    const notFound = [other.id, unknown, "x", "", "🌵"];
    expect(await store.markProcessed(mine, ids, NOW)).toEqual({
      processed: [event.id],
      alreadyProcessed: [],
      notFound,
    });
    expect(await store.markProcessed(mine, ids, NOW + 1)).toEqual({
      processed: [],
      alreadyProcessed: [event.id],
      notFound,
    });
    expect(await listAll(all(foreign), 10)).toEqual([other]);
  });

  it("marks an event for exactly one of many callers at once", async () => {
    const organizationId = freshOrganization();
    const event = made(organizationId, 0);
    await putAll([event]);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.markProcessed(organizationId, [event.id], NOW + i)),
    );
    expect(results.filter(({ processed }) => processed.length === 1)).toHaveLength(1);
    expect(results.filter(({ alreadyProcessed }) => alreadyProcessed.length === 1)).toHaveLength(19);
  });

  it("costs one unit for LOW events and three for higher levels", async () => {
    const organizationId = freshOrganization();
    const rare = { eventType: "PERMISSION_DENIED", category: "authorization", userId: "ada" } as const;
    const low = made(organizationId, 0, rare);
    const high = made(organizationId, 1, { ...rare, riskLevel: "HIGH" });
    await putAll([low, high]);
    expect((await measured(() => store.markProcessed(organizationId, [low.id], NOW))).write).toBe(1);
    expect((await measured(() => store.markProcessed(organizationId, [high.id], NOW))).write).toBe(3);
  });
});
