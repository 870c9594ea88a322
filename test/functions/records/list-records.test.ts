import "../../support/function-environment.ts";
import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { createCursors } from "../../../shared/http/cursor.ts";
import type { RecordListStore } from "../../../shared/records/record-list-store.ts";
import type { DataReadRecorder } from "../../../shared/security/data-reads.ts";
import { defaultSettings } from "../../../shared/settings/settings.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { CREATED_AT, customerFields } from "../../support/records.ts";

quietLog();

const caller = {
  userId: "ada",
  organizationId: "acme",
  role: "admin",
  sessionId: undefined,
  scope: "org:acme",
} as const;
const parts = {
  authenticate: async () => caller,
  settings: { read: async () => defaultSettings },
  cursors: async () => createCursors("a secret of at least 32 characters"),
};

let listRecordsHandler: typeof import("../../../functions/records/list-records.ts").listRecordsHandler;
beforeAll(async () => {
  Object.assign(process.env, {
    RECORDS_TABLE_NAME: "records",
    SETTINGS_TABLE_NAME: "settings",
    SECURITY_EVENTS_TABLE_NAME: "events",
    SECURITY_ROLLUPS_TABLE_NAME: "rollups",
    SECURITY_ALERTS_TABLE_NAME: "alerts",
    EVENT_BUS_NAME: "bus",
    RETENTION_DAYS: "90",
    SECURITY_LOG_LEVEL: "LOW",
    ALERT_THRESHOLD: "HIGH",
    ISSUER: "https://issuer.example.com",
    AUDIENCE: "audience",
    ORGANIZATION_CLAIM: "org_id",
    ROLE_CLAIM: "org_role",
    SEALING_KEY_ARN: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:sealing-AbCdEf",
  });
  ({ listRecordsHandler } = await import("../../../functions/records/list-records.ts"));
});

const get = (type: string, rawQueryString = "") =>
  httpEvent({
    method: "GET",
    rawPath: `/api/integrations/provider/records/${type}`,
    pathParameters: { type },
    headers: { authorization: "Bearer good" },
    rawQueryString,
  });

const withRecords = (list: RecordListStore["list"]) => {
  const records = { list: jest.fn(list) };
  const reads = { record: jest.fn<DataReadRecorder["record"]>(async () => undefined) };
  return { records, reads, handle: listRecordsHandler({ records, reads }, parts) };
};

const record = { id: "cus_1", createdAt: CREATED_AT, updatedAt: CREATED_AT, deleted: false } as const;
const customers = [{ ...record, type: "customers" as const, ...customerFields }];

describe("GET …/records/{type}", () => {
  it("answers a page of the caller's organization, with a link to the next", async () => {
    const next = { createdAt: CREATED_AT, id: "cus_1" };
    const { records, handle } = withRecords(async () => ({ items: customers, next }));
    const response = await handle(get("customers", "limit=1&customerId=cus_1&updatedSince=5"), lambdaContext);
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(response.body ?? "")).toEqual(customers);
    const query = { customerId: "cus_1", updatedSince: 5 };
    expect(records.list.mock.calls).toEqual([["acme", "customers", query, { limit: 1, after: undefined }]]);
    const [, link = ""] = /^<[^?]*\?(.*)>; rel="next"$/.exec(response.headers.link ?? "") ?? [];
    await handle(get("customers", link), lambdaContext);
    expect(records.list.mock.calls[1]).toEqual(["acme", "customers", query, { limit: 1, after: next }]);
  });

  it.each([
    ["customers", "customer"],
    ["subscriptions", "subscription"],
    ["invoices", "invoice"],
    ["payments", "payment"],
  ])("records that %s were read", async (type, resourceType) => {
    const { reads, handle } = withRecords(async () => ({ items: [], next: undefined }));
    await handle(get(type), lambdaContext);
    const origin = { requestId: "request-1", ipAddress: "127.0.0.1", userAgent: "jest" };
    expect(reads.record.mock.calls).toEqual([[{ caller, origin, kind: type, resourceType }]]);
  });

  it("records nothing if no record was read", async () => {
    const { reads, handle } = withRecords(async () => Promise.reject(new Error("down")));
    await expect(handle(get("customers"), lambdaContext)).resolves.toMatchObject({ statusCode: 500 });
    await expect(handle(get("plants"), lambdaContext)).resolves.toMatchObject({ statusCode: 400 });
    await expect(handle(get("customers", "updatedSince=soon"), lambdaContext)).resolves.toMatchObject({
      statusCode: 400,
    });
    expect(reads.record).not.toHaveBeenCalled();
  });
});
