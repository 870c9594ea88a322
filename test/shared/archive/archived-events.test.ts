/** Exports over tables and archive, compared with the same exports when the tables still had everything. */

import { beforeAll, describe, expect, it } from "@jest/globals";
import { archiveKey, endOfArchive } from "../../../shared/archive/archive-hour.ts";
import { toLine } from "../../../shared/archive/archive-line.ts";
import { createLineFile } from "../../../shared/archive/line-file.ts";
import { type EventSourceDependencies, eventSource } from "../../../shared/exports/event-source.ts";
import { type ExportFilter, type ExportFormat, exportFormats } from "../../../shared/exports/export.ts";
import { createRequestExport } from "../../../shared/exports/request-export.ts";
import { DAY_MS, HOUR_MS, startOfHour } from "../../../shared/terms/hours.ts";
import { createArchiveWorld, eventAt, SPAN } from "../../support/archived-hours.ts";
import { fc } from "../../support/fixed-seed.ts";
import { identityAt } from "../../support/request-identity.ts";
import { arbitraryEvents, arbitrarySelection, NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";
import { withoutProof } from "../../support/without-proof.ts";

const database = useDatabase("securityEvents", "securityRollups");
const ORGANIZATION = "exporting";
const SPREAD_MS = 4 * DAY_MS;
const world = createArchiveWorld(database, ORGANIZATION);
const [events = []] = fc.sample(arbitraryEvents(ORGANIZATION, SPREAD_MS, { minLength: 60, maxLength: 60 }), 1);

beforeAll(async () => {
  for (const event of events) {
    await world.record(event);
    const hour = startOfHour(event.timestamp);
    world.sealed.set(hour, "never");
    await world.dueHours.markDue(world.scope, hour);
  }
  await world.write();
});

const readAll = async (
  at: number,
  dependencies: Partial<EventSourceDependencies>,
  format: ExportFormat,
  filter: ExportFilter,
): Promise<{ text: string; count: number }> => {
  const source = eventSource(
    { events: world.store, clock: () => at, eventsPerPage: 3, ...dependencies },
    ORGANIZATION,
    { format, filter },
  );
  let after: string | undefined;
  const all = { text: source.head ?? "", count: 0 };
  do {
    const page = await source.read(after);
    all.text += page.text;
    all.count += page.count;
    after = page.next;
  } while (after !== undefined);
  return all;
};

const older = { archive: world.archive, span: SPAN };

const filters = arbitrarySelection(ORGANIZATION, SPREAD_MS).map(
  ({ organizationId: _, processed: __, until = NOW + 1, ...filter }): ExportFilter =>
    ({ ...filter, until }) as ExportFilter,
);

describe("an export of events of which the tables have lost some", () => {
  it.each([0, 1, 2, 3.5, 5].map((days) => days * DAY_MS))(
    "equals the export when they had all of them, %d ms of them in the tables",
    async (inTablesMs) => {
      const at = NOW + SPAN.retentionMs - inTablesMs;
      await fc.assert(
        fc.asyncProperty(filters, fc.constantFrom(...exportFormats), async (filter, format) => {
          const before = await readAll(NOW, {}, format, filter);
          await expect(readAll(at, { older }, format, filter)).resolves.toEqual(before);
        }),
        { numRuns: 12 },
      );
    },
  );

  it("has every event, from whichever of both", async () => {
    const filter = { since: NOW - SPREAD_MS - 2 * HOUR_MS, until: NOW + 1 };
    const at = NOW + SPAN.retentionMs - 2 * DAY_MS;
    await expect(readAll(at, { older }, "ndjson", filter)).resolves.toMatchObject({ count: events.length });
    const { count } = await readAll(at, {}, "ndjson", filter);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(events.length);
  });

  it("has no salts and no indexes", async () => {
    const filter = { since: NOW - SPREAD_MS - 2 * HOUR_MS, until: NOW + 1 };
    const { text } = await readAll(NOW + SPAN.retentionMs + DAY_MS, { older }, "ndjson", filter);
    expect(text).not.toMatch(/"(salt|index|hash)"/);
  });

  it("shows no content that an earlier export has read and that is gone since", async () => {
    const hour = startOfHour(NOW - 2 * DAY_MS);
    const filter = { since: hour, until: hour + HOUR_MS };
    const at = NOW + SPAN.retentionMs + DAY_MS;
    const event = eventAt(hour, { organizationId: ORGANIZATION, userId: "eve-the-leaver" });
    const put = async (...events: (typeof event)[]) => {
      const file = createLineFile();
      for (const one of events) await file.add(toLine({ event: one }));
      await world.archive.put(world.scope, hour, (await file.end()) ?? Buffer.alloc(0));
    };
    const former = await world.archive.find(world.scope, hour);
    await put(event);
    await expect(readAll(at, { older }, "ndjson", filter)).resolves.toMatchObject({ count: 1 });
    const { userId: _, ...emptied } = event;
    await put(emptied);
    const { text } = await readAll(at, { older }, "ndjson", filter);
    expect(text).not.toContain("eve-the-leaver");
    const file = createLineFile();
    for (const line of former?.lines ?? []) await file.add(line);
    const body = await file.end();
    if (body === undefined) await world.bucket.store.delete([archiveKey(world.scope, hour)]);
    else await world.archive.put(world.scope, hour, body);
  });

  it("has no events whose hours have ended, though their objects are still there", async () => {
    const last = startOfHour(NOW - HOUR_MS);
    const filter = { since: 0, until: NOW + 1 };
    const kept = events.filter(({ timestamp }) => startOfHour(timestamp) === startOfHour(NOW)).length;
    const { count } = await readAll(endOfArchive(last, SPAN.months), { older }, "ndjson", filter);
    expect(count).toBeLessThanOrEqual(kept);
    await expect(readAll(endOfArchive(startOfHour(NOW), SPAN.months), { older }, "ndjson", filter)).resolves.toEqual({
      text: "",
      count: 0,
    });
  });
});

describe("a request", () => {
  const requestWith = (span: typeof SPAN | undefined) =>
    createRequestExport({
      exports: { create: async () => undefined, find: async () => undefined, forgetOrigin: async () => undefined },
      events: { requested: async () => undefined },
      bus: { publish: async () => [] },
      proofSpan: withoutProof.proofSpan,
      span,
    });
  const by = {
    caller: { organizationId: ORGANIZATION, userId: "root", sessionId: undefined },
    origin: { requestId: "r" },
    identity: identityAt(NOW),
  } as unknown as Parameters<ReturnType<typeof requestWith>>[1];
  const ask = (span: typeof SPAN | undefined, request: object) =>
    requestWith(span)({ kind: "events", request: { format: "ndjson", ...request } as never }, by);

  it("reaches back to the beginning of the archive, and is cut there", async () => {
    const reach = Date.UTC(2025, 9, 21, 13);
    await expect(ask(SPAN, { since: reach + 5 })).resolves.toMatchObject({ filter: { since: reach + 5 } });
    await expect(ask(SPAN, { since: reach - 5 })).resolves.toMatchObject({ filter: { since: reach } });
    await expect(ask(SPAN, { since: 0 })).resolves.toMatchObject({ filter: { since: reach } });
    await expect(ask(undefined, { since: 0 })).resolves.toMatchObject({ filter: { since: 0 } });
  });

  it("is cut nowhere in the tables, if they keep events for longer", async () => {
    const short = { months: 1, retentionMs: 90 * DAY_MS };
    const since = NOW - 90 * DAY_MS;
    await expect(ask(short, { since })).resolves.toMatchObject({ filter: { since } });
  });

  it("by `processed` is refused for events that only the archive has", async () => {
    const retained = startOfHour(NOW - SPAN.retentionMs);
    await expect(ask(SPAN, { since: retained - 1, processed: false })).rejects.toMatchObject({ code: "invalid_field" });
    await expect(ask(SPAN, { since: retained, processed: true })).resolves.toMatchObject({
      filter: { processed: true },
    });
    await expect(ask(SPAN, { processed: true })).resolves.toMatchObject({ filter: { processed: true } });
    await expect(ask(undefined, { since: 0, processed: true })).resolves.toMatchObject({ filter: { since: 0 } });
  });
});
