import { beforeEach, describe, expect, it } from "@jest/globals";
import { archiveKey, endOfArchive } from "../../../shared/archive/archive-hour.ts";
import { endHours } from "../../../shared/archive/end-hours.ts";
import { createEndedHourStore } from "../../../shared/archive/ended-hour-store.ts";
import { deleteItem } from "../../../shared/runtime/table.ts";
import { HOUR_MS } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { createMemoryObjects } from "../../support/memory-objects.ts";
import { useTable } from "../../support/use-table.ts";

const rollups = useTable("securityRollups");
const MONTHS = 2;
const FIRST = Date.UTC(2026, 0, 5, 7);
const organizations = ["a", "b", "c", "d", "e"].map(organizationKey);

let bucket: ReturnType<typeof createMemoryObjects>;
let now = 0;
const run = (remainingMs: () => number = () => 300_000, months = MONTHS) =>
  endHours({ objects: bucket.store, ended: createEndedHourStore(rollups), months, now: () => now }, remainingMs);
/** The time that this work may take is over after the first question. */
const outOfTime = () => {
  let asked = 0;
  return () => (asked++ === 0 ? 300_000 : 200_000);
};
const put = async (...hours: number[]): Promise<void> => {
  for (const scope of organizations)
    for (const hour of hours) await bucket.store.put(archiveKey(scope, hour), "x", { contentType: "x" });
};
const keysOf = (...hours: number[]) =>
  organizations.flatMap((scope) => hours.map((hour) => archiveKey(scope, hour))).sort();

beforeEach(async () => {
  await deleteItem(rollups, { scope: "archive", period: "ended" });
  bucket = createMemoryObjects();
  now = endOfArchive(FIRST, MONTHS) - 1;
});

describe("an hour's objects in the archive", () => {
  it("are deleted in the hour in which they end, whenever they were written, and no others", async () => {
    await put(FIRST, FIRST + HOUR_MS);
    await run();
    expect(bucket.keys()).toEqual(keysOf(FIRST, FIRST + HOUR_MS));
    now++;
    await put(FIRST);
    await expect(run()).resolves.toBe(1);
    expect(bucket.keys()).toEqual(keysOf(FIRST + HOUR_MS));
    await expect(run()).resolves.toBe(0);
    now += HOUR_MS;
    await run();
    expect(bucket.keys()).toEqual([]);
  });

  it("are deleted by later runs if a run fails or has no time", async () => {
    await put(FIRST, FIRST + HOUR_MS, FIRST + 2 * HOUR_MS);
    await run();
    now += 1 + 2 * HOUR_MS;
    const failing = { ...bucket.store, delete: () => Promise.reject(new Error("no bucket")) };
    const ended = createEndedHourStore(rollups);
    const failed = endHours({ objects: failing, ended, months: MONTHS, now: () => now }, () => 300_000);
    await expect(failed).rejects.toThrow("no bucket");
    expect(bucket.keys()).toEqual(keysOf(FIRST, FIRST + HOUR_MS, FIRST + 2 * HOUR_MS));
    await expect(run(outOfTime())).resolves.toBe(0);
    await expect(run()).resolves.toBe(3);
    expect(bucket.keys()).toEqual([]);
  });

  it("are deleted for as many hours and organizations as there are, not more than 1,000 keys at once", async () => {
    const many = Array.from({ length: 700 }, (_, i) => FIRST + i * HOUR_MS);
    await run();
    await put(...many);
    let most = 0;
    const counting = {
      ...bucket.store,
      delete: async (keys: readonly string[]) => {
        most = Math.max(most, keys.length);
        await bucket.store.delete(keys);
      },
    };
    now = endOfArchive(FIRST + 698 * HOUR_MS, MONTHS);
    const ended = createEndedHourStore(rollups);
    await endHours({ objects: counting, ended, months: MONTHS, now: () => now }, () => 300_000);
    expect(bucket.keys()).toEqual(keysOf(FIRST + 699 * HOUR_MS));
    expect(most).toBeLessThanOrEqual(1_000);
  });

  it("end at once if the archive is kept for a shorter time", async () => {
    await put(FIRST);
    await run(() => 300_000, 3);
    expect(bucket.keys()).toEqual(keysOf(FIRST));
    now++;
    await run();
    expect(bucket.keys()).toEqual([]);
  });
});
