import { describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../../infra/local/core/observation.ts";
import { sourceName } from "../../../../infra/local/terminal/log-entry.ts";
import { createTerminal } from "../../../../infra/local/terminal/terminal.ts";

const NOW = Date.parse("2026-11-22T14:03:22.500Z");

const written = (options: { isTerminal?: boolean; isVerbose?: boolean } = {}) => {
  const lines: string[] = [];
  const terminal = createTerminal({
    isTerminal: true,
    isVerbose: false,
    now: () => NOW,
    paint: (_format, text) => text,
    ...options,
    writeLine: (line) => lines.push(`${line}\n`),
  });
  const log = (source: string, line: string | object) => {
    terminal.log(source, typeof line === "string" ? line : JSON.stringify(line));
    return lines.splice(0).join("");
  };
  const observe = (observation: Observation) => {
    terminal.observe(observation);
    return lines.splice(0).join("");
  };
  return { log, observe };
};

const request: Observation = {
  kind: "request",
  method: "GET",
  target: "/api/integrations/provider/security?limit=1",
  status: 200,
  durationMs: 14,
  source: "FunctionsListSecurityEventsFunctionA0AAE358",
  requestId: "gsG5cGcjabcdef=",
  organizationId: "acme",
  userId: "eve",
};
const event = { kind: "event", bus: "bus", detailType: "ReportDue", rules: ["a", "b"] } as const;
const batch = { kind: "batch", queue: "q", messages: 3, failed: 1 } as const;
const schedule = { kind: "schedule", name: "hourly", at: NOW } as const;

describe("the terminal of npm start", () => {
  it("shows a request in one short line, and why it failed", () => {
    const { observe } = written();
    const line = "GET    …/security?limit=1  14 ms  list-security-events  acme/eve  gsG5cGcj";
    expect(observe(request)).toBe(`14:03:22 200 ${line}\n`);
    const reason = "40301 The role guest does not have the permission security:read.";
    expect(observe({ ...request, status: 403, reason })).toBe(`14:03:22 403 ${line}  ${reason}\n`);
    const unknown = { kind: "request", method: "DELETE", target: `/${"x".repeat(200)}`, status: 404 } as const;
    expect(observe({ ...unknown, durationMs: 1 })).toBe(`14:03:22 404 DELETE /${"x".repeat(78)}…  1 ms\n`);
  });

  it("hides a function's own line of a request, but not the cause of a 500", () => {
    const { log } = written();
    const line = { level: "info", message: "GET /plants", requestId: "abc", status: 200, durationMs: 3 };
    expect(log("FunctionsListPlantsFunction1EA0A752", line)).toBe("");
    expect(log("FunctionsStartSyncFunction721B0DCE", { ...line, level: "error", status: 503 })).toBe("");
    const cause = "TypeError: x\n    at list-plants.ts:12";
    expect(log("FunctionsListPlantsFunction1EA0A752", { ...line, level: "error", status: 500, cause })).toBe(
      "14:03:22 ERROR  list-plants  GET /plants  status=500  durationMs=3  abc\n    TypeError: x\n        at list-plants.ts:12\n",
    );
  });

  it("shows warnings, alarms, failures and text of other kinds, but routine only with --verbose", () => {
    const { log, observe } = written();
    const verbose = written({ isVerbose: true });
    const routine = { level: "info", message: "dispatch-syncs", durationMs: 3, organizations: 1 };
    expect([log("Sync", routine), observe(event), observe(batch), observe(schedule)]).toEqual(["", "", "", ""]);
    expect(verbose.log("SyncDispatchSyncsFunction891B4BFA", routine)).toBe(
      "14:03:22 dispatch-syncs  durationMs=3  organizations=1\n",
    );
    expect([verbose.observe(event), verbose.observe(batch), verbose.observe(schedule)]).toEqual([
      "14:03:22 event  ReportDue  rules: 2\n",
      "14:03:22 batch  q  3 messages, 1 failed\n",
      "14:03:22 schedule  hourly\n",
    ]);
    expect(log("Sync", { level: "error", message: "Failed", alarm: "a_b", OperatorAlarms: 1, _aws: {} })).toBe(
      "14:03:22 ERROR  Sync  Failed  alarm=a_b\n",
    );
    expect(log("Sync", { level: "warn", message: "Late" })).toBe("14:03:22 WARN  Sync  Late\n");
    expect(log("local cloud", "DENIED A may not s3:Get")).toBe(
      "14:03:22 ERROR  local cloud  DENIED A may not s3:Get\n",
    );
    expect(log("Sync", "printed by console.log")).toBe("14:03:22 Sync  printed by console.log\n");
  });

  it("shows a day of the clock, and where the clock stopped", () => {
    const { observe } = written();
    const day = {
      kind: "clock",
      day: "2026-11-23",
      schedules: { a: 20, b: 3 },
      invocations: 30,
      elapsedMs: 4_210,
    } as const;
    const events = { SyncRequested: 6, SecurityAlertChanged: 1 };
    expect(observe({ ...day, events })).toBe(
      "14:03:22 clock 2026-11-23  23 schedules fired  30 invocations  6 × SyncRequested, 1 × SecurityAlertChanged  4.2 s\n",
    );
    expect(observe({ ...day, events: {}, stoppedAt: NOW })).toBe(
      "14:03:22 clock 2026-11-22T14:03Z  23 schedules fired  30 invocations  4.2 s\n",
    );
  });
});

describe("npm start in a pipe", () => {
  it("writes one JSON object a line, routine included", () => {
    const { log, observe } = written({ isTerminal: false });
    const time = "2026-11-22T14:03:22.500Z";
    expect(JSON.parse(observe(request))).toMatchObject({
      time,
      source: "list-security-events",
      status: 200,
    });
    expect(JSON.parse(observe(event))).toEqual({ time, source: "local cloud", ...event });
    const line = { level: "info", message: "run-sync", durationMs: 3, nested: { a: 1 } };
    expect(JSON.parse(log("SyncRunSyncFunction513F751D", line))).toEqual({ time, source: "run-sync", ...line });
    expect(JSON.parse(log("Sync", "{ not JSON"))).toEqual({
      time,
      source: "Sync",
      level: "info",
      message: "{ not JSON",
    });
    expect(JSON.parse(log("Sync", '{"a":1}'))).toMatchObject({ level: "info", message: '{"a":1}' });
    expect(log("Sync", "LOST an event: x")).toMatch(/^\{.*"level":"error".*\}\n$/);
  });
});

it.each([
  ["SyncRunSyncFunction513F751D", "run-sync"],
  ["FunctionsGetOpenApiDocumentFunction87418206", "get-open-api-document"],
  ["ListPlants0A1B2C3D", "ListPlants"],
  ["local cloud", "local cloud"],
])("names the source %s as %s", (source, name) => {
  expect(sourceName(source)).toBe(name);
});
