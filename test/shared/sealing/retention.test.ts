/** Another RETENTION_DAYS after hours were sealed: events keep the expiry with which they were recorded. */
import { beforeEach, expect, it, jest } from "@jest/globals";
import { createArchiveStore } from "../../../shared/archive/archive-store.ts";
import { archiveFileOf } from "../../../shared/archive/archive-writer.ts";
import { createReadSealedHour, toHourLeaf } from "../../../shared/archive/read-sealed-hour.ts";
import { writeHour } from "../../../shared/archive/write-hour.ts";
import { nextProofFile } from "../../../shared/exports/proof-sources.ts";
import { createReadIntegrity } from "../../../shared/sealing/read-integrity.ts";
import { createHourEventsStore } from "../../../shared/security/feed/hour-events-store.ts";
import { DAY_MS } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { createMemoryObjects } from "../../support/memory-objects.ts";
import { HOUR } from "../../support/security-events.ts";
import { MINUTE, START, useSealingStage } from "./stage.ts";

const stage = useSealingStage();
const ACME = organizationKey("acme");
const AT = (hours: number, minutes = 0): number => START + hours * HOUR + minutes * MINUTE;
const MONTHS = 13;

/** Two sealed hours of events that are kept for two days. */
beforeEach(async () => {
  await stage.reset();
  stage.retention.days = 2;
  for (const hour of [0, 1, 2]) {
    stage.time.now = AT(hour, 10);
    await stage.record("acme", AT(hour, 10), { userId: "bob" });
    await stage.record("acme", AT(hour, 11));
    stage.time.now = AT(hour + 1, 43);
    await stage.run();
  }
});

const events = () => createHourEventsStore(stage.table("securityEvents"));

/** As the service with an archive reads an hour. */
const readWith = (archive: ReturnType<typeof createArchiveStore>) =>
  createReadSealedHour(
    {
      events: events(),
      evidence: stage.evidence,
      archive,
      retentionMs: stage.retention.days * DAY_MS,
      now: () => stage.time.now,
    },
    toHourLeaf,
  );

const statuses = async (readHour = stage.readHour) => {
  const read = createReadIntegrity({
    evidence: stage.evidence,
    readLog: async () => ({ isSigned: false, leaf: undefined, slots: [] }),
    readHour,
    listDue: stage.dueSeals.listDue,
    isErasing: async () => false,
    keys: async () => [],
    now: () => stage.time.now,
  });
  return (await read("acme", { since: AT(1), until: AT(3) })).hours.map(({ status }) => status);
};

const prove = async () => {
  const filter = { since: AT(1), until: AT(3) };
  const { evidence, readProved: readHour } = stage;
  const dependencies = { evidence, readHour, checkpoints: { read: async () => undefined }, keys: async () => [] };
  const file = nextProofFile(dependencies, { organizationId: "acme", exportId: "one", filter, size: 2 }, []);
  return file?.read(undefined);
};

/** Writes the objects of the sealed hours. */
const archived = async () => {
  const bucket = createMemoryObjects();
  const store = createArchiveStore(bucket.store);
  const writer = {
    sealOf: async ({ hour }: { hour: number }) => (await stage.evidence.getHour(ACME, hour)) ?? ("later" as const),
    span: { months: MONTHS, retentionMs: stage.retention.days * DAY_MS },
  };
  const fileOf = (hour: number) =>
    archiveFileOf(writer, { scope: ACME, hour }, stage.time.now, (body) => store.put(ACME, hour, body));
  for (const hour of [AT(1), AT(2)]) {
    const file = await fileOf(hour);
    if (typeof file !== "object") throw new Error("The hour has no object.");
    await writeHour(events(), { scope: ACME, hour }, [file], stage.time.now);
  }
  return { store, fileOf };
};

it("has expired hours after a longer retention, and none that are broken", async () => {
  expect(await statuses()).toEqual(["verified", "verified"]);
  stage.retention.days = 6;
  stage.time.now = AT(2, 30) + 2 * DAY_MS;
  expect(await statuses()).toEqual(["expired", "verified"]);
  stage.time.now = AT(4) + 2 * DAY_MS;
  expect(await statuses()).toEqual(["expired", "expired"]);
  await expect(prove()).rejects.toMatchObject({ code: "expired" });
});

it("still has the events of a longer retention after a shorter one", async () => {
  stage.retention.days = 1;
  stage.time.now = AT(4) + 1.5 * DAY_MS;
  expect(await statuses()).toEqual(["verified", "verified"]);
  expect(await prove()).toMatchObject({ count: 2 });
});

it("raises no alarm when an expired hour is due again, and keeps the earliest expiry", async () => {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  stage.retention.days = 6;
  stage.time.now = AT(3, 50);
  await stage.record("acme", AT(2, 20));
  stage.time.now = AT(4, 43);
  expect(await stage.run()).toMatchObject({ sealed: 1, broken: 0 });
  const { expiresAt } = (await stage.evidence.getHour(ACME, AT(2))) ?? {};
  expect(expiresAt).toBe(AT(3) + 2 * DAY_MS);
  stage.time.now = AT(4) + 2 * DAY_MS;
  await stage.dueSeals.markDue(ACME, AT(2));
  expect(await stage.run()).toMatchObject({ sealed: 0, broken: 0, left: 0 });
  expect(write.mock.calls.join("")).not.toContain("sealed_hour_broken");
  write.mockRestore();
});

it("reads expired hours from the archive, and does not replace their objects by what is left of them", async () => {
  const { store, fileOf } = await archived();
  stage.retention.days = 6;
  stage.time.now = AT(4) + 2 * DAY_MS;
  expect(await statuses(readWith(store))).toEqual(["verified", "verified"]);
  expect(await fileOf(AT(2))).toBe("none");
});

it("does not change a record", async () => {
  const records: string[] = [];
  for await (const entry of stage.evidence.listRecords(ACME)) records.push(entry);
  expect(records.map((entry) => Object.keys(JSON.parse(entry)))).toEqual(
    Array(2).fill(["count", "erased", "erasedRoot", "hour", "organizationId", "root", "step", "version"]),
  );
});
