import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createDataReadStore } from "../../../shared/security/data-read-store.ts";
import { createDataReadRecorder, type DataRead } from "../../../shared/security/data-reads.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useDatabase } from "../../support/use-table.ts";

const MINUTE = 60_000;
const NOON = Date.UTC(2026, 10, 21, 12, 0, 0);

const database = useDatabase("securityRollups");
quietLog();

let organizations = 0;
let reading: DataRead;
beforeEach(() => {
  reading = {
    caller: { organizationId: `org ${++organizations}`, userId: "ada", sessionId: "s1" },
    origin: { requestId: "r1", ipAddress: "192.0.2.1", userAgent: "curl" },
    kind: "invoices",
    resourceType: "invoice",
  };
});

/** An instance of a function; all record into one list. */
const instance = ({
  time = { now: NOON },
  marks = createDataReadStore(database.table("securityRollups")),
  record = jest.fn<Recorder["record"]>(async () => undefined),
} = {}) => ({ time, record, reads: createDataReadRecorder({ marks, recorder: { record }, clock: () => time.now }) });

describe("a read", () => {
  it("is a LOW event of category data_access with user, data and origin", async () => {
    const { reads, record } = instance();
    await reads.record(reading);
    expect(record.mock.calls).toEqual([
      [
        {
          eventType: "DATA_READ",
          category: "data_access",
          riskLevel: "LOW",
          source: "user",
          organizationId: reading.caller.organizationId,
          userId: "ada",
          sessionId: "s1",
          ipAddress: "192.0.2.1",
          userAgent: "curl",
          resourceType: "invoice",
          action: "read_invoices",
          success: true,
          metadata: { requestId: "r1" },
        },
      ],
    ]);
  });

  it("is recorded once per user, kind and minute over all instances", async () => {
    const { record, time } = instance();
    const instances = Array.from({ length: 10 }, () => instance({ record, time }).reads);
    const readAll = () => Promise.all(instances.flatMap(({ record: one }) => [one(reading), one(reading)]));
    await readAll();
    expect(record).toHaveBeenCalledTimes(1);
    time.now = NOON + MINUTE - 1;
    await readAll();
    expect(record).toHaveBeenCalledTimes(1);
    time.now = NOON + MINUTE;
    await readAll();
    expect(record).toHaveBeenCalledTimes(2);
  });

  it.each<[string, (one: DataRead) => DataRead]>([
    ["kind", (one) => ({ ...one, kind: "payments" })],
    ["user", (one) => ({ ...one, caller: { ...one.caller, userId: "bob" } })],
    ["organization", (one) => ({ ...one, caller: { ...one.caller, organizationId: `${one.caller.organizationId}#` } })],
  ])("counts as another read with another %s", async (_what, change) => {
    const { reads, record } = instance();
    await reads.record(reading);
    await reads.record(change(reading));
    expect(record).toHaveBeenCalledTimes(2);
  });

  it("costs one write unit for the marker, and none while the instance remembers the read", async () => {
    const client = database.newClient();
    const measure = countUnits(client);
    const { reads } = instance({ marks: createDataReadStore(database.table("securityRollups", client)) });
    await expect(measure(() => reads.record(reading))).resolves.toEqual({ read: 0, write: 1 });
    await expect(measure(() => reads.record(reading))).resolves.toEqual({ read: 0, write: 0 });
  });

  it("leaves a marker without personal data that expires", async () => {
    await instance().reads.record({ ...reading, caller: { ...reading.caller, userId: "🌵".repeat(128) } });
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName: "securityRollups" }));
    expect(Items.filter(({ scope }) => String(scope).endsWith(`%20${organizations}`))).toEqual([
      {
        scope: `org#org%20${organizations}`,
        period: expect.stringMatching(/^read#2026-11-21T12:00#[\w-]{43}$/),
        token: expect.any(String),
        ttl: NOON / 1_000 + 360,
      },
    ]);
  });
});

describe("if a dependency fails", () => {
  it("a marker counts as new if only its answer was lost", async () => {
    const proxy = await startLossyProxy(database.running().endpoint);
    const { reads, record } = instance({
      marks: createDataReadStore(database.table("securityRollups", database.clientAt(proxy.url))),
    });
    await reads.record(reading);
    await instance({ record }).reads.record(reading);
    expect(record).toHaveBeenCalledTimes(1);
    proxy.stop();
  });

  it("a read is recorded once per instance if the store does not answer", async () => {
    const { reads, record } = instance({
      marks: {
        mark: async () => {
          throw new Error("down");
        },
      },
    });
    await reads.record(reading);
    await reads.record(reading);
    expect(record).toHaveBeenCalledTimes(1);
  });

  it("a read succeeds if the recorder throws, and an alarm line is logged", async () => {
    const record = jest.fn<Recorder["record"]>(async () => {
      throw new Error("down");
    });
    await expect(instance({ record }).reads.record(reading)).resolves.toBeUndefined();
    expect(jest.mocked(process.stdout.write).mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringContaining('"alarm":"event_not_recorded"'),
    ]);
  });
});
