/**
 * Every endpoint with one good request, for the matrix (endpoint-matrix.ts). Without an entry here, an endpoint does not
 * compile.
 */

import { LOCAL_PLATFORM } from "../../infra/local/core/platform.ts";
import type { RouteName } from "../../shared/api/routes.ts";
import { WEBHOOK_PATH } from "../../shared/api/webhook-operation.ts";
import { toItem } from "../../shared/detection/custom-rules/custom-rule-item.ts";
import { liveKey, muteKey } from "../../shared/mutes/mute-item.ts";
import { createEmailLinks, EMAIL_LINK_PATH } from "../../shared/notifications/email-link.ts";
import { deliveryKey, destinationKey } from "../../shared/notifications/notification-items.ts";
import { createSealing } from "../../shared/runtime/sealing.ts";
import { HOUR_MS } from "../../shared/terms/hours.ts";
import type { Lacks } from "../../shared/terms/lacks.ts";
import { signatureOf } from "../support/webhook-sender.ts";
import { type CaseRequest, type Setting, succeed } from "./setting.ts";

export type EndpointCase = {
  /** Changes the world (world.ts) so that the request succeeds. Runs once for all cells. */
  prepare?: (setting: Setting) => Promise<void>;
  /** Makes the request of one cell; for what a cell uses up, such as an authorization code. */
  request: (setting: Setting) => CaseRequest | Promise<CaseRequest>;
  /** Statuses of a repeated request that are right whatever its body, and why. `isUndone`: it then changes nothing. */
  repeated?: { statuses: readonly number[]; because: string; isUndone?: true };
  /** What may be missing in the end, and why. */
  mayLack?: { lines: RegExp; because: string };
  /** Calls of which the caller does not need the answer, in addition to those of every endpoint. */
  sideWork?: RegExp;
};

/** Looks whether half of all circuits are open. */
const OUTAGE_LOOK = /Query:Circuits|GetItem:Connections/;

const PROVIDER = "/api/integrations/provider";

const ORGANIZATION_URL = WEBHOOK_PATH.replace(/\{.*\}/, "acme");

/** Idempotency keys of a case: the same for a request and its repetition. */
const keyed = { "idempotency-key": "the-key" };

const firstSync = {
  lines: /^Sync(Runs|Requested) /,
  because: "if the first sync does not start, the next schedule starts one",
};

const get = (path: string): EndpointCase => ({ request: () => ({ method: "GET", target: PROVIDER + path }) });

const disconnect = async (setting: Setting): Promise<void> => {
  await succeed(setting, { method: "DELETE", target: `${PROVIDER}/connection` });
};

/** Code and state after a user granted the platform access to the account. */
const grantAccess = async (setting: Setting): Promise<{ code: string; state: string }> => {
  const { body } = await succeed(setting, { method: "POST", target: `${PROVIDER}/connection/authorize` });
  const { url } = body as { url: string };
  const granted = await fetch(`${url}&account=${setting.world.accountId}`, { headers: { accept: "application/json" } });
  return (await granted.json()) as { code: string; state: string };
};

const delivery = ({ bench, world }: Setting, target: string, secret: string, aheadMs = 0): CaseRequest => {
  const now = Math.floor((bench.now() + aheadMs) / 1_000);
  const customer = { id: "cus_webhook", object: "customer", created: now, name: "Ada", email: "a@example.com" };
  const event = {
    id: "evt_webhook",
    object: "event",
    api_version: "2026-10-28.endive",
    created: now,
    type: "customer.updated",
    account: world.accountId,
    data: { object: { ...customer, currency: "eur", delinquent: false } },
  };
  const body = JSON.stringify(event);
  const headers = { "stripe-signature": signatureOf(body, secret, now) };
  return { webhook: true, method: "POST", target, body, headers };
};

const connectByOAuth = async (setting: Setting): Promise<CaseRequest> => {
  const granted = await grantAccess(setting);
  return { method: "PUT", target: `${PROVIDER}/connection`, body: { method: "oauth", ...granted } };
};

const DESTINATION = "01KB0000000000000000000000";
const FOREVER = 4_000_000_000;

const destinationItem = {
  ...destinationKey("acme", DESTINATION),
  id: DESTINATION,
  type: "webhook",
  name: "SOC",
  filter: {},
  target: "https://soc.example.com/hook",
  status: "active",
  createdAt: 1,
  createdBy: "ada",
  changedAt: 1,
  changedBy: "ada",
  sealed: new Uint8Array([1]),
  version: "1",
};

const MUTE = "01JD5RB2T0000000000000MUTE";

/** A mute without its alert. */
const putMute = async ({ lane, bench }: Setting) => {
  const until = bench.now() + 30 * 24 * HOUR_MS;
  await lane.put("Mutes", {
    ...muteKey("acme", MUTE),
    id: MUTE,
    rules: ["manual"],
    from: 1,
    until,
    includeCritical: false,
    reason: "maintenance",
    createdBy: "ada",
    createdAt: 1,
    ttl: Math.ceil(until / 1_000),
  });
  await lane.put("Mutes", { ...liveKey("acme"), live: { [MUTE]: until }, version: "1" });
};

const putDestination = ({ lane }: Setting) => lane.put("Notifications", destinationItem);

const CUSTOM_RULES = `${PROVIDER}/detection/custom-rules`;
const CUSTOM_RULE = "01kb0000000000000000000000";

const customRule = {
  name: "Many refusals",
  level: "HIGH",
  mode: "live",
  filter: { eventTypes: ["PERMISSION_DENIED"] },
  measure: "count",
  windowMinutes: 60,
  condition: { gte: 5 },
} as const;

const putCustomRule = async ({ lane }: Setting) => {
  const at = { createdAt: 1, createdBy: "ada", changedAt: 1, changedBy: "ada" };
  await lane.put(
    "Detection",
    toItem("acme", { ...customRule, filter: {}, id: CUSTOM_RULE, revision: 1, version: "1", ...at }),
  );
};

const putEmail =
  (status: "unconfirmed" | "active") =>
  ({ lane }: Setting) =>
    lane.put("Notifications", {
      ...destinationItem,
      type: "email",
      target: "ada@example.com",
      status,
      addressId: "address",
    });

/** A link of a mail, which no endpoint returns. */
const emailLink = ({ bench }: Setting, action: "confirm" | "unsubscribe"): string => {
  const [sealingKey] = bench.model.secrets;
  const about = { organizationId: "acme", destinationId: DESTINATION, addressId: "address" };
  const key = createEmailLinks(createSealing(sealingKey?.value ?? "")).seal({ ...about, action });
  return `${EMAIL_LINK_PATH}?key=${key}`;
};

/** By the route's name; a case of the same endpoint with another body has a suffix after a space. */
export const endpointCases = {
  createPlant: {
    request: () => ({ method: "POST", target: "/plants", headers: keyed, body: { id: 9, name: "Monstera" } }),
  },
  "createPlant without a key": {
    repeated: { statuses: [409], because: "the lost request has created the plant" },
    request: () => ({ method: "POST", target: "/plants", body: { id: 9, name: "Monstera" } }),
  },
  listPlants: { request: () => ({ method: "GET", target: "/plants" }) },
  deletePlant: {
    request: () => ({ method: "DELETE", target: "/plants/1" }),
    repeated: { statuses: [404], because: "the lost request has deleted the plant" },
  },
  listSecurityEvents: get("/security?limit=5"),
  listSecurityAlerts: get("/security/alert"),
  getSecurityEvent: {
    request: ({ world }) => ({ method: "GET", target: `${PROVIDER}/security/events/${world.eventIds[0]}` }),
  },
  getSecurityAlert: {
    request: ({ world }) => ({ method: "GET", target: `${PROVIDER}/security/alert/${world.alertId}` }),
  },
  changeSecurityAlerts: {
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/security/alert`,
      headers: keyed,
      body: { action: "generate_alert", title: "Look", riskLevel: "HIGH" },
    }),
  },
  getCircuitBreaker: get("/circuit-breaker"),
  listCircuitHistory: get("/circuit-breaker/history"),
  changeCircuitBreaker: {
    sideWork: OUTAGE_LOOK,
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/circuit-breaker`,
      headers: keyed,
      body: { action: "force_open", reason: "maintenance" },
    }),
  },
  getConnection: get("/connection"),
  connectProvider: {
    mayLack: firstSync,
    prepare: disconnect,
    request: ({ world: { apiKey, webhookSecret } }) => ({
      method: "PUT",
      target: `${PROVIDER}/connection`,
      body: { method: "api_key", apiKey, webhookSecret },
    }),
  },
  changeWebhookSecrets: {
    request: () => ({
      method: "PUT",
      target: `${PROVIDER}/connection/webhook-secrets`,
      body: { webhookSecrets: ["whsec_of_the_next_year"] },
    }),
  },
  updateWebhookEndpoint: {
    prepare: async (setting) => {
      const body = { method: "api_key", apiKey: setting.world.apiKey, registerWebhook: true };
      await succeed(setting, { method: "PUT", target: `${PROVIDER}/connection`, body });
    },
    request: () => ({ method: "PUT", target: `${PROVIDER}/connection/webhook-endpoint` }),
  },
  disconnectProvider: { request: () => ({ method: "DELETE", target: `${PROVIDER}/connection` }) },
  authorizeConnection: {
    request: () => ({ method: "POST", target: `${PROVIDER}/connection/authorize` }),
  },
  startSync: { request: () => ({ method: "POST", target: `${PROVIDER}/sync`, headers: keyed }) },
  listSyncRuns: get("/sync"),
  listWebhookDeliveries: get("/webhooks"),
  replayWebhookDelivery: {
    // The event waits unprocessed until it counts as failed.
    prepare: async (setting) => {
      const aheadMs = -3 * HOUR_MS;
      setting.lane.setClock(aheadMs);
      await succeed(setting, delivery(setting, ORGANIZATION_URL, setting.world.webhookSecret, aheadMs));
      setting.lane.setClock(0);
    },
    request: () => ({ method: "POST", target: `${PROVIDER}/webhooks/evt_webhook/replay`, headers: keyed }),
  },
  listRecords: get("/records/customers"),
  getMoney: get("/money"),
  search: get("/search?q=ada"),
  getSettings: get("/settings"),
  changeSettings: {
    request: () => ({
      method: "PUT",
      target: `${PROVIDER}/settings`,
      body: { ipAllowlist: ["127.0.0.0/8"], recordAccess: { member: ["invoices"] } },
    }),
  },
  listMutes: { prepare: putMute, ...get("/mutes") },
  getMute: { prepare: putMute, ...get(`/mutes/${MUTE}`) },
  createMute: {
    request: ({ bench }) => ({
      method: "POST",
      target: `${PROVIDER}/mutes`,
      headers: keyed,
      body: { rules: ["manual"], levels: ["HIGH"], until: bench.now() + HOUR_MS, reason: "maintenance" },
    }),
  },
  endMute: {
    prepare: putMute,
    request: () => ({ method: "DELETE", target: `${PROVIDER}/mutes/${MUTE}` }),
  },
  listDetectionRules: get("/detection/rules"),
  changeDetectionRule: {
    request: () => ({
      method: "PUT",
      target: `${PROVIDER}/detection/rules/unusual_api_usage`,
      body: { enabled: false, thresholds: { calls: 50 }, known: { users: ["ada"] }, revision: 0 },
    }),
  },
  listDestinations: get("/notifications"),
  createDestination: {
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/notifications`,
      headers: keyed,
      body: { type: "webhook", name: "SOC", url: "https://soc.example.com/hook" },
    }),
  },
  changeDestination: {
    prepare: putDestination,
    request: () => ({
      method: "PUT",
      target: `${PROVIDER}/notifications/${DESTINATION}`,
      body: { name: "On call", quietHours: { from: "22:00", to: "07:00", timeZone: "UTC" } },
    }),
  },
  deleteDestination: {
    prepare: putDestination,
    request: () => ({ method: "DELETE", target: `${PROVIDER}/notifications/${DESTINATION}` }),
    repeated: { statuses: [404], because: "the lost request has deleted the destination" },
    mayLack: {
      lines: /^Notifications \{"key":"deleted#/,
      because: "the mark of an event to record may stay, and the next deletion then records the same event again",
    },
  },
  testDestination: {
    prepare: putDestination,
    request: () => ({ method: "POST", target: `${PROVIDER}/notifications/${DESTINATION}/test`, headers: keyed }),
  },
  listDeliveries: { prepare: putDestination, ...get(`/notifications/${DESTINATION}/deliveries`) },
  retryDelivery: {
    prepare: async (setting) => {
      await putDestination(setting);
      const ref = { destinationId: DESTINATION, deliveryId: DESTINATION };
      await setting.lane.put("Notifications", {
        ...deliveryKey("acme", ref),
        ...ref,
        type: "notification.test",
        status: "failed",
        createdAt: 1,
        attempts: [],
        tries: 9,
        endedAt: 2,
        error: "gone",
        ttl: FOREVER,
      });
    },
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/notifications/deliveries/${DESTINATION}.${DESTINATION}/retry`,
      headers: keyed,
    }),
  },
  openEmailLink: {
    prepare: putEmail("unconfirmed"),
    request: (setting) => ({ method: "GET", target: emailLink(setting, "confirm") }),
  },
  useEmailLink: {
    prepare: putEmail("unconfirmed"),
    request: (setting) => ({ method: "POST", target: emailLink(setting, "confirm") }),
  },
  "useEmailLink to unsubscribe": {
    prepare: putEmail("active"),
    request: (setting) => ({ method: "POST", target: emailLink(setting, "unsubscribe") }),
  },
  listCustomRules: get("/detection/custom-rules"),
  createCustomRule: {
    request: () => ({ method: "POST", target: CUSTOM_RULES, headers: keyed, body: customRule }),
  },
  getCustomRule: { prepare: putCustomRule, ...get(`/detection/custom-rules/${CUSTOM_RULE}`) },
  changeCustomRule: {
    prepare: putCustomRule,
    request: () => ({
      method: "PUT",
      target: `${CUSTOM_RULES}/${CUSTOM_RULE}`,
      body: { ...customRule, mode: "dryRun", revision: 1 },
    }),
    repeated: { statuses: [409], because: "the lost request has changed the rule" },
  },
  deleteCustomRule: {
    prepare: putCustomRule,
    request: () => ({ method: "DELETE", target: `${CUSTOM_RULES}/${CUSTOM_RULE}` }),
    repeated: { statuses: [404], because: "the lost request has deleted the rule" },
    mayLack: {
      lines: /^Detection \{"key":"uncustom#/,
      because: "the mark of an event to record may stay, and the next deletion then records the same event again",
    },
  },
  listReports: get("/reports"),
  getReport: { request: ({ world }) => ({ method: "GET", target: `${PROVIDER}/reports/${world.reportId}` }) },
  reviewReport: {
    request: ({ world }) => ({
      method: "POST",
      target: `${PROVIDER}/reports/${world.reportId}/review`,
      headers: keyed,
      body: { note: "Read" },
    }),
  },
  createReportLink: {
    request: ({ world }) => ({ method: "POST", target: `${PROVIDER}/reports/${world.reportId}/link`, headers: keyed }),
  },
  openReportLink: {
    request: async (setting) => {
      const target = `${PROVIDER}/reports/${setting.world.reportId}/link`;
      const { body } = await succeed(setting, { method: "POST", target });
      const { pathname, search } = new URL((body as { url: string }).url);
      return { method: "GET", target: pathname + search };
    },
  },
  requestErasure: {
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/erasure`,
      headers: keyed,
      body: { scope: "user", userId: "bob", reason: "asked to" },
    }),
  },
  listErasures: get("/erasure"),
  getOpenApiDocument: { request: () => ({ method: "GET", target: "/openapi.json" }) },
  getCaller: get("/me"),

  receiveWebhook: {
    request: (setting) => delivery(setting, ORGANIZATION_URL, setting.world.webhookSecret),
  },
  receivePlatformWebhook: {
    prepare: async (setting) => {
      await disconnect(setting);
      await succeed(setting, await connectByOAuth(setting));
    },
    request: (setting) => delivery(setting, "/-/platform", LOCAL_PLATFORM.webhookSecret),
  },

  "connectProvider by OAuth": {
    mayLack: firstSync,
    prepare: disconnect,
    request: connectByOAuth,
    repeated: { statuses: [400, 422], because: "the lost request has used up the code", isUndone: true },
  },
  "connectProvider again": {
    mayLack: firstSync,
    request: ({ world: { apiKey } }) => ({
      method: "PUT",
      target: `${PROVIDER}/connection`,
      body: { method: "api_key", apiKey },
    }),
  },
  "changeSecurityAlerts mark_processed": {
    repeated: { statuses: [200], because: "it lists what the lost request has processed as processed already" },
    request: ({ world: { eventIds } }) => ({
      method: "POST",
      target: `${PROVIDER}/security/alert`,
      headers: keyed,
      body: { action: "mark_processed", eventIds },
    }),
  },
  "changeSecurityAlerts acknowledge": {
    repeated: { statuses: [200], because: "it lists what the lost request has acknowledged as unchanged" },
    request: ({ world: { alertId } }) => ({
      method: "POST",
      target: `${PROVIDER}/security/alert`,
      headers: keyed,
      body: { action: "acknowledge", alertIds: [alertId] },
    }),
  },
  "changeSecurityAlerts resolve": {
    repeated: { statuses: [200], because: "it lists what the lost request has resolved as unchanged" },
    request: ({ world: { alertId } }) => ({
      method: "POST",
      target: `${PROVIDER}/security/alert`,
      headers: keyed,
      body: { action: "resolve", alertIds: [alertId] },
    }),
  },
  "changeSecurityAlerts assign": {
    request: ({ world: { alertId } }) => ({
      method: "POST",
      target: `${PROVIDER}/security/alert`,
      headers: keyed,
      body: { action: "assign", alertIds: [alertId], assignee: "bob" },
    }),
  },
  "changeSecurityAlerts comment": {
    request: ({ world: { alertId } }) => ({
      method: "POST",
      target: `${PROVIDER}/security/alert`,
      headers: keyed,
      body: { action: "comment", alertIds: [alertId], text: "why?" },
    }),
  },
  "changeCircuitBreaker reset": {
    sideWork: OUTAGE_LOOK,
    prepare: async (setting) => {
      const body = { action: "force_open" };
      await succeed(setting, { method: "POST", target: `${PROVIDER}/circuit-breaker`, body });
    },
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/circuit-breaker`,
      headers: keyed,
      body: { action: "reset" },
    }),
  },
  startEventExport: {
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/security/exports`,
      headers: keyed,
      body: { format: "ndjson" },
    }),
  },
  startOrganizationExport: {
    request: () => ({ method: "POST", target: `${PROVIDER}/export`, headers: keyed }),
  },
  listExports: get("/security/exports"),
  getExport: {
    request: ({ world }) => ({ method: "GET", target: `${PROVIDER}/security/exports/${world.exportId}` }),
  },
  getIntegrity: get("/security/integrity"),
  getCoverage: get("/security/coverage?month=2026-11"),
  getCheckpoint: get("/security/checkpoints/1?from=1"),
  startPreview: {
    request: () => ({
      method: "POST",
      target: `${PROVIDER}/detection/previews`,
      headers: keyed,
      body: { days: 1, rule: { rule: "permission_escalation", enabled: false } },
    }),
  },
  startDrill: {
    request: () => ({ method: "POST", target: `${PROVIDER}/security/drill`, headers: keyed, body: {} }),
  },
  getDrill: {
    request: ({ world }) => ({ method: "GET", target: `${PROVIDER}/security/drill/${world.drillId}` }),
  },
  getPreview: {
    request: ({ world }) => ({ method: "GET", target: `${PROVIDER}/detection/previews/${world.previewId}` }),
  },
  "requestErasure of all": {
    request: () => ({ method: "POST", target: `${PROVIDER}/erasure`, headers: keyed, body: { scope: "all" } }),
  },
  "listSecurityEvents of a user": get("/security?userId=ada&processed=false"),
} as const satisfies Record<string, EndpointCase>;

true satisfies Lacks<
  RouteName | "receiveWebhook" | "receivePlatformWebhook",
  keyof typeof endpointCases,
  "to endpointCases in test/faults/endpoint-cases.ts: a good request"
>;
