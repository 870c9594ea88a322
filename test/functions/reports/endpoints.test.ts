import "../../support/function-environment.ts";
import { beforeAll, describe, expect, it, jest } from "@jest/globals";
import { createOpenApiDocument } from "../../../shared/api/open-api-document.ts";
import { reportRoutes } from "../../../shared/api/report-routes.ts";
import { routes } from "../../../shared/api/routes.ts";
import type { HandlerDependencies } from "../../../shared/http/create-handler.ts";
import { createCursors } from "../../../shared/http/cursor.ts";
import { createReportReader } from "../../../shared/reports/read-report.ts";
import type { Report } from "../../../shared/reports/report.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { DataReadRecorder } from "../../../shared/security/data-reads.ts";
import type { Caller } from "../../../shared/terms/caller.ts";
import { MONDAY, SATURDAY, sampleCompliance, sampleReview } from "../../shared/reports/samples.ts";
import { httpEvent, lambdaContext } from "../../support/http-event.ts";
import { quietLog } from "../../support/quiet-log.ts";

quietLog();

const ENVIRONMENT = {
  REPORTS_TABLE_NAME: "reports",
  SETTINGS_TABLE_NAME: "settings",
  EVENT_BUS_NAME: "bus",
  SECURITY_EVENTS_TABLE_NAME: "events",
  SECURITY_ROLLUPS_TABLE_NAME: "rollups",
  SECURITY_ALERTS_TABLE_NAME: "alerts",
  RETENTION_DAYS: "90",
  SECURITY_LOG_LEVEL: "LOW",
  ALERT_THRESHOLD: "HIGH",
  SEALING_KEY_ARN: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:sealing-AbCdEf",
  ISSUER: "https://issuer.example",
  AUDIENCE: "api",
  ORGANIZATION_CLAIM: "org_id",
  ROLE_CLAIM: "org_role",
};

let getReportHandler: typeof import("../../../functions/reports/get-report.ts").getReportHandler;
let listReportsHandler: typeof import("../../../functions/reports/list-reports.ts").listReportsHandler;
beforeAll(async () => {
  Object.assign(process.env, ENVIRONMENT);
  ({ getReportHandler } = await import("../../../functions/reports/get-report.ts"));
  ({ listReportsHandler } = await import("../../../functions/reports/list-reports.ts"));
});

const caller: Caller = {
  userId: "ada",
  organizationId: "acme",
  role: "admin" as const,
  sessionId: undefined,
  scope: "org:acme" as const,
};
const parts: HandlerDependencies = {
  authenticate: async (header) => {
    if (header === undefined) throw new DomainError("no_bearer_token", "There is no token.");
    return header === "Bearer member" ? { ...caller, role: "member" } : caller;
  },
  settings: {
    read: async () => ({
      ipAllowlist: [],
      recordAccess: { member: [], guest: [] },
      siemFeed: false,
      accountActivity: true,
      drill: "off",
    }),
  },
  cursors: async () => createCursors("a secret of at least 32 characters"),
};

const createWorld = (stored: readonly Report[] = [sampleCompliance(), sampleReview()]) => {
  const record = jest.fn<DataReadRecorder["record"]>(async () => undefined);
  const reports = createReportReader({
    reports: {
      get: async (organizationId, { kind, from }) =>
        organizationId === "acme" ? stored.find((one) => one.kind === kind && one.from === from) : undefined,
      list: async (_, { limit, after }) => {
        const start = after === undefined ? 0 : stored.findIndex(({ id }) => id === after.id) + 1;
        const items = stored.slice(start, start + limit);
        const last = items.at(-1);
        if (last === undefined || start + limit >= stored.length) return { items, next: undefined };
        return { items, next: { id: last.id, to: last.to, createdAt: last.createdAt } };
      },
    },
    reads: { record },
    now: () => SATURDAY,
  });
  const get = getReportHandler({ reports }, parts);
  const list = listReportsHandler({ reports }, parts);
  const headersOf = (headers: Record<string, string>) => ({ authorization: "Bearer admin", ...headers });
  return {
    record,
    get: (id: string, headers: Record<string, string> = {}) =>
      get(
        httpEvent({
          method: "GET",
          rawPath: `/api/integrations/provider/reports/${id}`,
          pathParameters: { id },
          headers: headersOf(headers),
        }),
        lambdaContext,
      ),
    list: (rawQueryString = "", headers: Record<string, string> = {}) =>
      list(
        httpEvent({
          method: "GET",
          rawPath: "/api/integrations/provider/reports",
          rawQueryString,
          headers: headersOf(headers),
        }),
        lambdaContext,
      ),
  };
};

describe("GET …/reports/{id}", () => {
  it("returns the report, with Vary: Accept", async () => {
    const response = await createWorld().get("compliance-2026-11-21");
    expect(response).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "application/json", "cache-control": "no-store", vary: "Accept" },
    });
    expect(JSON.parse(response.body ?? "")).toMatchObject({
      id: "compliance-2026-11-21",
      kind: "compliance",
      from: SATURDAY,
      unprocessedHighRiskEvents: 9,
    });
  });

  it("returns a page if Accept prefers HTML, with a policy that forbids loading and running anything", async () => {
    const response = await createWorld().get("review-2026-11-16", { accept: "text/html,*/*;q=0.8" });
    expect(response).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", vary: "Accept" },
    });
    expect(response.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/);
    expect(response.headers["x-request-id"]).toBe("request-1");
    expect(response.body).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(response.body).toContain("Week of 16 November 2026");
  });

  it.each(["compliance-2026-11-20", "review-2026-11-17", "nonsense", "%", "x".repeat(2_000)])(
    "returns 404 as JSON for %j, whatever Accept prefers",
    async (id) => {
      const { get, record } = createWorld();
      const response = await get(id, { accept: "text/html" });
      expect(response).toMatchObject({ statusCode: 404, headers: { "content-type": "application/json" } });
      expect(JSON.parse(response.body ?? "")).toEqual({ error: 40403, message: "There is no such report." });
      expect(record).not.toHaveBeenCalled();
    },
  );

  it("returns refusals as JSON too", async () => {
    const headers = { authorization: "Bearer member", accept: "text/html" };
    const response = await createWorld().get("compliance-2026-11-21", headers);
    expect(response).toMatchObject({ statusCode: 403, headers: { "content-type": "application/json" } });
  });

  it("records that a report was read, in both forms", async () => {
    for (const accept of ["text/html", "application/json"]) {
      const { get, record } = createWorld();
      await get("compliance-2026-11-21", { accept });
      expect(record).toHaveBeenCalledTimes(1);
      expect(record).toHaveBeenCalledWith(expect.objectContaining({ caller, kind: "report", resourceType: "report" }));
    }
  });
});

describe("GET …/reports", () => {
  it("returns the entries page by page, without the contents", async () => {
    const { list, record } = createWorld();
    const first = await list("limit=1", { accept: "text/html" });
    const { id, kind, from, to, createdAt } = sampleCompliance();
    expect(JSON.parse(first.body ?? "")).toEqual([{ id, kind, from, to, createdAt }]);
    const cursor = /cursor=([^&>]+)/.exec(first.headers.link ?? "")?.[1] ?? "";
    const second = await list(`limit=1&cursor=${cursor}`);
    expect(JSON.parse(second.body ?? "")).toMatchObject([{ id: "review-2026-11-16", from: MONDAY }]);
    expect(second.headers.link).toBeUndefined();
    expect(record).toHaveBeenCalledWith(expect.objectContaining({ kind: "reports", resourceType: "report" }));
  });

  it("requires the permission to read security", async () => {
    expect((await createWorld().list("", { authorization: "Bearer member" })).statusCode).toBe(403);
  });
});

describe("the OpenAPI document of reports", () => {
  const document = createOpenApiDocument({ ...routes, ...reportRoutes });

  it("describes both forms of a report", () => {
    const response = document.paths?.[reportRoutes.getReport.path]?.get?.responses?.["200"];
    expect(response).toMatchObject({
      headers: { vary: expect.anything() },
      content: { "application/json": { schema: expect.anything() }, "text/html": { schema: { type: "string" } } },
    });
    const listed = document.paths?.[reportRoutes.listReports.path]?.get?.responses?.["200"];
    expect(JSON.stringify(listed)).not.toContain("text/html");
  });
});
