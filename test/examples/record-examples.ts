/**
 * The examples of the OpenAPI document: requests to the running service and its answers, by operation. An organization stores
 * plants, connects an account, looks into a refused guest, and reads its reports. Only addresses are replaced, and three
 * long lists cut.
 */
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import type { RouteName } from "../../shared/api/routes.ts";
import type { Coverage } from "../../shared/completeness/coverage.ts";
import { deliveryKey } from "../../shared/notifications/notification-items.ts";
import { eventId, identityOf } from "../../shared/security/event-id.ts";
import { eventually, organizationOf, type Run } from "../support/integration.ts";
import { grantAccess } from "../support/oauth.ts";
import type { ServiceUnderTest } from "../support/service.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { webhookSender } from "../support/webhook-sender.ts";

type Example = { request?: unknown; response?: unknown };

/** By operation and by the name of the example. */
export type Examples = Record<string, Record<string, Example>>;

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** A Monday. */
const EPOCH_MONDAY = 4 * DAY_MS;
const NINE = 9 * 3_600_000;

const ACCOUNT = { id: "acct_1LocalNordlicht", apiKey: "sk_test_local_nordlicht" };
const WEBHOOK_SECRET = "whsec_local_acme";

/** Moves to 09:00 UTC of a Monday, a day ahead at least: then each schedule has run. @returns that time, epoch ms */
const waitForMonday = async (service: ServiceUnderTest): Promise<number> => {
  const now = Date.now();
  const sinceMonday = (now + DAY_MS - EPOCH_MONDAY - NINE) % WEEK_MS;
  const ms = DAY_MS + WEEK_MS - sinceMonday;
  await service.advance(ms, "last");
  return now + ms;
};

/** Lists of a connection that are the same for each account, and hours of a day: longer than a reader needs. */
const CUT_LISTS = ["eventTypes", "keyPermissions", "notJudged"];
const CUT_LENGTH = 3;

/** Replaces the addresses of this machine. */
const presenterOf = ({ apiUrl, webhookUrl, providerUrl }: ServiceUnderTest["stack"]) => {
  const addresses = [
    [apiUrl, "https://api.example.com"],
    [webhookUrl, "https://webhooks.example.com"],
    [providerUrl, "https://provider.example.com"],
  ] as const;
  return (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, inner: unknown) => {
      if (Array.isArray(inner) && CUT_LISTS.includes(key)) return inner.slice(0, CUT_LENGTH);
      if (typeof inner !== "string") return inner;
      return addresses.reduce((text, [url, shown]) => (url === undefined ? text : text.replace(url, shown)), inner);
    });
};

/** Stores a delivery that all tries have failed to send: making one takes a day. */
const storeFailedDelivery = async ({ stack }: ServiceUnderTest, organizationId: string, destinationId: string) => {
  const createdAt = Date.now() - DAY_MS;
  const ref = { destinationId, deliveryId: eventId(createdAt, identityOf("example")) };
  const attempts = [
    {
      at: createdAt,
      latencyMs: 212,
      status: 500,
      error: "The receiver answered 500.",
      answer: "Internal Server Error",
    },
    { at: createdAt + 5_104, latencyMs: 10_000, error: "The receiver did not answer in time." },
  ];
  const client = engineClient(stack.dynamodbUrl);
  await DynamoDBDocumentClient.from(client).send(
    new PutCommand({
      TableName: stack.tables.find((name) => name.includes("TablesNotifications")),
      Item: {
        ...deliveryKey(organizationId, ref),
        ...ref,
        type: "security.alert.raised",
        status: "failed",
        createdAt,
        attempts,
        tries: 9,
        endedAt: createdAt + 23 * 3_600_000,
        error: "The receiver answered 500.",
        ttl: Math.ceil((createdAt + 30 * DAY_MS) / 1_000),
      },
    }),
  );
  client.destroy();
};

/** Runs the scenario on a service without data. @throws Error with the answer if a request is refused. */
export const recordExamples = async (service: ServiceUnderTest): Promise<Examples> => {
  const startedAt = await waitForMonday(service);
  const acme = organizationOf(service, "acme");
  const examples: Examples = {};
  const provider = simulatedProvider(service);
  const presentable = presenterOf(service.stack);
  const keep = (operation: string, name: string, request: unknown, response: unknown) => {
    examples[operation] = { ...examples[operation], [name]: presentable({ request, response }) as Example };
  };

  /** Sends a request as ada of acme and keeps it with its answer. */
  const record = async <Answer>(operation: RouteName, name: string, target: string, body?: object): Promise<Answer> => {
    const [method = "", path = ""] = target.split(" ");
    const answer = await acme.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${operation}, ${name}: ${answer.status} ${answer.text}`);
    keep(operation, name, body, answer.body);
    return answer.body as Answer;
  };

  await record("createPlant", "monstera", "POST /plants", { id: 1, name: "Monstera", tag: "tropical" });
  await acme.call("POST", "/plants", { id: 2, name: "Calathea" });
  await record("listPlants", "two", "GET /plants");
  await record("getCaller", "administrator", "GET me");
  const { openapi, info } = (await service.request("GET", "/openapi.json")).body as { openapi: string; info: object };
  const { title, version } = info as { title: string; version: string };
  keep("getOpenApiDocument", "beginning", undefined, { openapi, info: { title, version } });

  await record("connectProvider", "api_key", "PUT connection", {
    method: "api_key",
    apiKey: ACCOUNT.apiKey,
    webhookSecret: WEBHOOK_SECRET,
  });
  await acme.lastRun();
  await record("getConnection", "connected", "GET connection");
  await record("changeWebhookSecrets", "rotation", "PUT connection/webhook-secrets", {
    webhookSecrets: [WEBHOOK_SECRET],
  });
  const registering = organizationOf(service, "acme-webhooks");
  await registering.connect(ACCOUNT.apiKey, { registerWebhook: true });
  const updated = await registering.call("PUT", "connection/webhook-endpoint");
  keep("updateWebhookEndpoint", "update", undefined, updated.body);
  await record("authorizeConnection", "start", "POST connection/authorize");
  const granting = organizationOf(service, "acme-shop");
  const granted = { method: "oauth", ...(await grantAccess(granting, ACCOUNT.id)) };
  keep("connectProvider", "oauth", granted, (await granting.call("PUT", "connection", granted)).body);

  const { id } = await record<Run>("startSync", "incremental", "POST sync", {});
  await eventually("the run has ended", async () =>
    (await acme.runs()).some((run) => run.id === id && run.status !== "running"),
  );
  await record("listSyncRuns", "finished", "GET sync");
  for (const type of ["customers", "invoices", "payments", "subscriptions"])
    await record("listRecords", type, `GET records/${type}?limit=1`);

  const sender = webhookSender(service, acme.organizationId, WEBHOOK_SECRET);
  // Only the documented fields of an event: the service ignores all others.
  const { id: eventId, type, created, data } = await sender.customerEvent("updated", "cus_1LocalAda");
  const event = { id: eventId, type, created, data };
  keep("receiveWebhook", "customer", event, JSON.parse((await sender.send(event)).text));
  const ofAccount = { ...event, account: ACCOUNT.id };
  const platform = { path: "-/platform", secret: "whsec_local_platform" };
  keep("receivePlatformWebhook", "customer", ofAccount, JSON.parse((await sender.send(ofAccount, platform)).text));

  await eventually("the event is applied", async () => {
    const [last] = (await acme.call("GET", "webhooks?status=applied")).body as object[];
    return last;
  });
  await record("listWebhookDeliveries", "applied", "GET webhooks?status=applied&limit=1");

  await record("getCircuitBreaker", "closed", "GET circuit-breaker");
  const reason = "maintenance of the provider";
  for (const action of ["force_open", "force_close", "reset"])
    await record("changeCircuitBreaker", action, "POST circuit-breaker", { action, reason });

  await record("listCircuitHistory", "operator", "GET circuit-breaker/history?limit=3");

  await record("changeSettings", "members", "PUT settings", {
    ipAllowlist: ["127.0.0.0/8"],
    recordAccess: { member: ["invoices"] },
  });
  await record("getSettings", "members", "GET settings");

  await record("changeDetectionRule", "known", "PUT detection/rules/unusual_api_usage", {
    enabled: true,
    level: "LOW",
    thresholds: { calls: 60 },
    known: { networks: ["198.51.100.0/24"], users: ["robot"] },
    revision: 0,
  });
  await record("listDetectionRules", "all", "GET detection/rules");

  const soc = { levels: ["HIGH", "CRITICAL"], changes: ["raised", "escalated", "resolved"] };
  const { id: hookId } = await record<{ id: string }>("createDestination", "webhook", "POST notifications", {
    type: "webhook",
    name: "SOC",
    url: "https://soc.example.com/hooks/alerts",
    filter: soc,
  });
  const onCall = { name: "On call", quietHours: { from: "22:00", to: "07:00", timeZone: "Europe/Berlin" } };
  const reports = ["daily", "weekly"];
  await record("createDestination", "email", "POST notifications", {
    type: "email",
    address: "oncall@example.com",
    ...onCall,
    reports,
  });
  for (const type of ["slack", "teams"])
    await record("createDestination", type, "POST notifications", {
      type,
      name: `Alerts in ${type}`,
      url: "https://chat.example.com/services/T0/B0/secret",
    });
  await eventually("the mail that asks to confirm the address has left", async () => {
    const { body } = await acme.call("GET", "notifications");
    return (body as { lastDeliveredAt?: number }[]).some(({ lastDeliveredAt }) => lastDeliveredAt !== undefined);
  });
  await record("listDestinations", "four", "GET notifications");
  // Before a change that tells the destination of itself.
  await storeFailedDelivery(service, acme.organizationId, hookId);
  const [failed] = await record<{ id: string }[]>("listDeliveries", "failed", `GET notifications/${hookId}/deliveries`);
  await record("retryDelivery", "failed", `POST notifications/deliveries/${failed?.id}/retry`);
  await record("changeDestination", "new_secret", `PUT notifications/${hookId}`, {
    name: "SOC",
    filter: soc,
    digest: { every: "hour" },
    rollSecret: true,
  });

  await record("testDestination", "webhook", `POST notifications/${hookId}/test`);

  const refusals = {
    name: "Many refusals of a user",
    level: "HIGH",
    mode: "live",
    filter: { eventTypes: ["PERMISSION_DENIED"] },
    measure: "count",
    groupBy: "userId",
    windowMinutes: 60,
    condition: { gte: 5 },
    attack: [{ tactic: "TA0004", technique: "T1078" }],
  };
  const customRules = "detection/custom-rules";
  const { id: ruleId } = await record<{ id: string }>("createCustomRule", "refusals", `POST ${customRules}`, refusals);
  const noSync = {
    name: "No sync for 12 hours",
    level: "HIGH",
    mode: "dryRun",
    filter: { eventTypes: ["PROVIDER_SYNC_COMPLETED"] },
    measure: "count",
    windowMinutes: 720,
    condition: { lt: 1 },
  };
  await record("createCustomRule", "silence", `POST ${customRules}`, noSync);
  await record("listCustomRules", "two", `GET ${customRules}`);
  const changed = { rule: "repeated_auth_failures", enabled: true, known: { networks: ["192.0.2.0/24"] } };
  const previewed = { days: 30, rule: changed };
  const previews = "detection/previews";
  const { id: previewId } = await record<{ id: string }>("startPreview", "rule", `POST ${previews}`, previewed);
  await eventually("the preview has succeeded", async () => {
    const { body } = await acme.call("GET", `${previews}/${previewId}`);
    return (body as { status: string }).status === "succeeded";
  });
  await record("getPreview", "succeeded", `GET ${previews}/${previewId}`);
  const { id: drillId } = await record<{ id: string }>("startDrill", "started", "POST security/drill", {});
  await eventually("the alert of the drill is raised", async () => {
    const { body } = await acme.call("GET", `security/drill/${drillId}`);
    return (body as { alertId?: string }).alertId !== undefined;
  });
  await record("getDrill", "alerted", `GET security/drill/${drillId}`);
  await record("changeCustomRule", "threshold", `PUT ${customRules}/${ruleId}`, {
    ...refusals,
    condition: { gte: 10 },
    revision: 1,
  });
  await record("getCustomRule", "refusals", `GET ${customRules}/${ruleId}`);
  await record("getMoney", "today", "GET money?days=1");
  await record("search", "customers", "GET search?q=ada%20l");
  const { id: muteId } = await record<{ id: string }>("createMute", "nights", "POST mutes", {
    rules: ["sync_silence"],
    levels: ["LOW", "MEDIUM"],
    until: Date.now() + 30 * DAY_MS,
    weekly: { days: ["friday", "saturday"], from: "22:00", to: "06:00", timeZone: "Europe/Berlin" },
    reason: "The shop is closed on weekend nights.",
  });
  await record("getMute", "nights", `GET mutes/${muteId}`);
  await record("listMutes", "nights", "GET mutes");

  const eve = { role: "guest", userId: "eve" };
  for (const path of ["settings", "security"]) await acme.call("GET", path, undefined, eve);
  const refused = "security?eventType=PERMISSION_DENIED&limit=1";
  const { events } = await record<{ events: { id: string }[] }>("listSecurityEvents", "refusal", `GET ${refused}`);
  const ofTheDay = `since=${startedAt}&until=${startedAt + 2 * 3_600_000}`;
  await record("listSecurityEvents", "overview", `GET security?interval=hour&${ofTheDay}&alertCounts=true&limit=1`);
  const eventIds = events.map((one) => one.id);
  await record("getSecurityEvent", "refusal", `GET security/events/${eventIds[0]}`);
  const [alert] = await record<{ id: string }[]>(
    "listSecurityAlerts",
    "open",
    "GET security/alert?status=open&limit=1",
  );
  const alertIds = [alert?.id];
  await record("changeSecurityAlerts", "mark_processed", "POST security/alert", { action: "mark_processed", eventIds });
  await record("changeSecurityAlerts", "generate_alert", "POST security/alert", {
    action: "generate_alert",
    title: "Look into eve",
    riskLevel: "HIGH",
    message: "A guest tries endpoints.",
    eventIds,
  });
  for (const said of [
    { action: "acknowledge" },
    { action: "assign", assignee: "bob" },
    { action: "comment", text: "Eve left the company. Her account is closed." },
    { action: "resolve", cause: "true_alarm" },
  ])
    await record("changeSecurityAlerts", said.action, "POST security/alert", { ...said, alertIds });
  await record("getSecurityAlert", "resolved", `GET security/alert/${alertIds[0]}`);
  await record("changeSecurityAlerts", "reopen", "POST security/alert", { action: "reopen", alertIds });
  await acme.call("POST", "security/alert", { action: "resolve", cause: "true_alarm", alertIds });

  // The week ends; an hour later its reports are made.
  await service.advance(WEEK_MS, "last");
  await service.advance(3_600_000);
  const day = new Date(startedAt).toISOString().slice(0, 10);
  await record("listReports", "latest", "GET reports?limit=2");
  for (const kind of ["compliance", "review"]) await record("getReport", kind, `GET reports/${kind}-${day}`);

  await record("reviewReport", "withNote", `POST reports/compliance-${day}/review`, { note: "Nothing to do." });

  await record("createReportLink", "review", `POST reports/review-${day}/link`);

  const { id: exportId } = await record<{ id: string }>("startEventExport", "csv", "POST security/exports", {
    format: "csv",
    riskLevel: "HIGH",
    since: "2026-11-01T00:00:00Z",
  });
  await record("startOrganizationExport", "all", "POST export");
  await eventually("both exports are complete", async () => {
    const { body } = await acme.call("GET", "security/exports");
    return (body as { status: string }[]).every(({ status }) => status === "completed");
  });
  await record("getExport", "completed", `GET security/exports/${exportId}`);
  await record("listExports", "latest", "GET security/exports?limit=2");

  const erased = { scope: "user", userId: "eve", reason: "eve left the company" };
  await record("requestErasure", "user", "POST erasure", erased);
  await eventually("eve is erased", async () => {
    const [last] = (await acme.call("GET", "erasure")).body as { status: string }[];
    return last?.status === "completed";
  });
  await record("listErasures", "completed", "GET erasure");

  // An old event is only applied after reading the object from the provider, which fails at all of its tries.
  const late = await sender.customerEvent("created", "cus_1LocalNoa");
  const fault = await provider.fail(ACCOUNT.id, { kind: "error", status: 500 });
  await sender.send({ ...late, created: late.created - 120 });
  await service.advance(70 * 60_000);
  await record("listWebhookDeliveries", "failed", "GET webhooks?status=failed");
  await provider.recover(fault);
  await acme.call("POST", "circuit-breaker", { action: "reset" });
  await record("replayWebhookDelivery", "failed", `POST webhooks/${late.id}/replay`);

  const sealed = await record<{ hours: { checkpoint?: number }[] }>("getIntegrity", "hours", "GET security/integrity");
  const step = sealed.hours.findLast(({ checkpoint }) => checkpoint !== undefined)?.checkpoint ?? 0;
  await record("getCheckpoint", "signed", `GET security/checkpoints/${step + 1}?from=1`);

  // The first day that the log has from its beginning on, and its night.
  await service.advance(2 * DAY_MS, "last");
  await service.advance(3_600_000);
  const night = startedAt + WEEK_MS + 2 * DAY_MS;
  const month = new Date(night).toISOString().slice(0, 7);
  const coverage = await record<Coverage>("getCoverage", "month", `GET security/coverage?month=${month}`);
  // The ids of own rules differ from recording to recording.
  const rules = Object.fromEntries(Object.entries(coverage.rules).filter(([rule]) => !rule.startsWith("custom_")));
  keep("getCoverage", "month", undefined, { ...coverage, rules });
  return examples;
};
