import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as z from "zod/mini";
import { classNames, classOf } from "../../../../shared/security/ocsf/event-classes.ts";
import { OCSF_VERSION, ocsfClasses } from "../../../../shared/security/ocsf/ocsf-event.ts";
import { toOcsf } from "../../../../shared/security/ocsf/to-ocsf.ts";
import { eventTypes, type SecurityEvent } from "../../../../shared/security/security-event.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { allKindsOfEvents, arbitraryOcsfSource } from "../../../support/ocsf-sources.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = new Map(
  Object.values(ocsfClasses).map((schema) => [
    schema.def.shape.class_uid.def.values[0],
    ajv.compile(z.toJSONSchema(schema, { io: "output" })),
  ]),
);

const expectValid = (event: SecurityEvent) => {
  const mapped = toOcsf(event);
  const validate = validators.get(mapped.class_uid);
  expect(validate?.(mapped) === true ? [] : validate?.errors).toEqual([]);
  expect(mapped.type_uid).toBe(mapped.class_uid * 100 + mapped.activity_id);
  expect(mapped.category_uid).toBe(Math.floor(mapped.class_uid / 1_000));
  return mapped;
};

/** What OCSF requires beyond each attribute: "at least one of" of its objects. */
const atLeastOne = {
  actor: ["process", "user", "invoked_by", "session", "app_name", "app_uid"],
  user: ["account", "name", "uid"],
  src_endpoint: ["ip", "uid", "name", "hostname", "svc_name"],
  resources: ["name", "uid"],
  entity: ["name", "uid"],
  evidences: ["actor", "src_endpoint"],
};

const expectIdentified = (name: string, value: unknown): void => {
  if (Array.isArray(value)) {
    for (const item of value) expectIdentified(name, item);
  } else if (typeof value === "object" && value !== null) {
    const required = Object.entries(atLeastOne).find(([one]) => one === name)?.[1];
    if (required !== undefined) expect(Object.keys(value).some((key) => required.includes(key))).toBe(true);
    if (name === "unmapped") return;
    for (const [inner, one] of Object.entries(value)) expectIdentified(inner, one);
  }
};

test("events of every type, level, source and result are valid", () => {
  expect(allKindsOfEvents).toHaveLength(Object.keys(eventTypes).length * 32);
  for (const event of allKindsOfEvents) expectIdentified("event", expectValid(event));
});

test("events with any fields are valid, and the same event gives the same text", () => {
  fc.assert(
    fc.property(arbitraryOcsfSource, (event) => {
      const mapped = expectValid(event);
      expectIdentified("event", mapped);
      expect(JSON.stringify(toOcsf(structuredClone(event)))).toBe(JSON.stringify(mapped));
    }),
    { numRuns: 300 },
  );
});

test("no value of an event is lost", () => {
  const textsOf = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [value];
  fc.assert(
    fc.property(arbitraryOcsfSource, (event) => {
      // The level and the result have numbers of OCSF.
      const { riskLevel, success, ...others } = event;
      const found = new Set(textsOf(toOcsf(event)));
      expect(textsOf(others).filter((one) => !found.has(one))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

const full: SecurityEvent = {
  id: "01KAK3A3C0ABCDEFGHJKMNPQRS",
  organizationId: "acme",
  userId: "ada",
  sessionId: "s-1",
  eventType: "PERMISSION_DENIED",
  category: "authorization",
  riskLevel: "HIGH",
  source: "user",
  ipAddress: "192.0.2.1",
  userAgent: "curl/8",
  resource: "GET /reports",
  action: "list_reports",
  success: false,
  errorCode: "40301",
  errorMessage: "Your role may not read reports.",
  metadata: { requestId: "r-1", durationMs: 4 },
  processed: false,
  alertGenerated: true,
  alertLevel: "HIGH",
  timestamp: 1_763_728_200_000,
  createdAt: 1_763_728_200_012,
};

test("a refusal is API Activity with who, from where, what and why", () => {
  expect(toOcsf(full)).toMatchObject({
    class_uid: 6003,
    activity_id: 99,
    activity_name: "Permission Denied",
    type_uid: 600_399,
    severity_id: 4,
    status_id: 2,
    status_code: "40301",
    time: full.timestamp,
    duration: 4,
    metadata: { uid: full.id, event_code: "PERMISSION_DENIED", tenant_uid: "acme", correlation_uid: "r-1" },
    actor: { user: { uid: "ada", org: { uid: "acme" } }, session: { uid: "s-1" } },
    src_endpoint: { ip: "192.0.2.1" },
    http_request: { uid: "r-1", user_agent: "curl/8" },
    api: { operation: "list_reports", response: { error: "40301" } },
    resources: [{ uid: "GET /reports" }],
    unmapped: { alertGenerated: true, metadata: full.metadata },
  });
});

test("a refused token without a user, a forged webhook and rejected credentials name who was refused", () => {
  const { userId, sessionId, ...anonymous } = full;
  const refused = { ...anonymous, eventType: "AUTHENTICATION_FAILURE", ipAddress: "2001:db8::/64" };
  expect(toOcsf(refused)).toMatchObject({ user: { type_id: 0 }, src_endpoint: { name: "2001:db8::/64" } });
  expect(toOcsf({ ...refused, source: "webhook" })).toMatchObject({ user: { name: "Payment provider", type_id: 4 } });
  expect(toOcsf({ ...refused, source: "system", resource: "acct_1" })).toMatchObject({
    user: { uid: "acct_1", type_id: 4 },
    service: { name: "Payment provider" },
  });
});

test("an event of a later version is API Activity", () => {
  for (const eventType of ["OF_A_LATER_VERSION", "constructor", "__proto__"]) {
    expect(toOcsf({ ...full, eventType })).toMatchObject({ type_uid: 600_399, message: eventType });
  }
});

test("docs/ocsf.md has the class and activity of every type, and a valid example", async () => {
  const page = await readFile("docs/ocsf.md", "utf8");
  for (const eventType of Object.keys(eventTypes)) {
    const { uid, activityId, activity } = classOf(eventType);
    expect(page).toContain(`| \`${eventType}\` | ${classNames[uid]} (${uid}) | ${activity} (${activityId}) |`);
  }
  expect(page).toContain(`OCSF ${OCSF_VERSION}`);
  const [, source = "", mapped = ""] = /```json\n([^`]*)```[^`]*```json\n([^`]*)```/.exec(page) ?? [];
  expect(JSON.parse(mapped)).toEqual(toOcsf(JSON.parse(source)));
});

test("a Detection Finding of an outage names a technique of MITRE ATT&CK, and one that was made by hand names none", () => {
  const ofType = (eventType: string) => {
    const event = allKindsOfEvents.find((one) => one.eventType === eventType);
    return event && toOcsf(event);
  };
  expect(ofType("SYSTEM_OUTAGE")).toMatchObject({
    finding_info: { attacks: [{ tactic: { uid: "TA0040" }, technique: { uid: "T1499" } }] },
  });
  expect(ofType("MANUAL_ALERT_GENERATED")).toMatchObject({
    finding_info: expect.not.objectContaining({ attacks: expect.anything() }),
  });
});
