/**
 * Every list with more than fits into one response, of characters of 4 bytes and of characters that JSON escapes twice:
 * no page exceeds Lambda's limit, which the local cloud enforces, and the pages together have everything once.
 */
import { BatchWriteCommand, DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, it } from "@jest/globals";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { routes } from "../../shared/api/routes.ts";
import { nothingRemoved } from "../../shared/erasure/erasure.ts";
import { erasureKey } from "../../shared/erasure/erasure-item.ts";
import { exportKey } from "../../shared/exports/export-item.ts";
import type { Route } from "../../shared/http/route.ts";
import { muteKey } from "../../shared/mutes/mute-item.ts";
import { deliveryKey, destinationKey } from "../../shared/notifications/notification-items.ts";
import { type RecordFields, type RecordType, recordTypes } from "../../shared/records/record.ts";
import { toItem as toRecordItem } from "../../shared/records/record-item.ts";
import { periodOf, reportId } from "../../shared/reports/period.ts";
import { entryKey } from "../../shared/reports/report-keys.ts";
import { chunksOf } from "../../shared/runtime/chunks.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { inParallel } from "../../shared/runtime/in-parallel.ts";
import { alertHash, alertId, statusEntry, unresolvedKey } from "../../shared/security/alerts/alert-item.ts";
import { eventId, identityOf } from "../../shared/security/event-id.ts";
import { toItem as toEventItem } from "../../shared/security/event-item.ts";
import { runKey } from "../../shared/sync/sync-item.ts";
import { noProgress } from "../../shared/sync/sync-run.ts";
import { DAY_MS } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { keyOf } from "../../shared/webhooks/event-partitions.ts";
import { rangeOf } from "../support/depth.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const client = DynamoDBDocumentClient.from(engineClient(service.stack.dynamodbUrl), documentTranslation);
afterAll(() => client.destroy());

type Item = Record<string, unknown>;

const store = (table: string, items: readonly Item[]): Promise<void> => {
  const name = service.stack.tables.find((one) => one.includes(`Tables${table}`)) ?? table;
  return inParallel(chunksOf(items, 25), 4, async (chunk) => {
    const requests = chunk.map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
    expect(UnprocessedItems).toEqual({});
  });
};

const NOW = Date.now();
const TTL = Math.floor((NOW + 90 * DAY_MS) / 1_000);
/** Of exports, deliveries and webhook events. */
const MONTH_TTL = Math.floor((NOW + 30 * DAY_MS) / 1_000);
const idAt = (i: number): string => eventId(NOW - i, identityOf(i));

/** What an organization's list must return, in order, and how an answer's item is identified. */
type Seeded = { expected: readonly string[]; idOf: (item: Item) => unknown; path?: string; field?: string };

type Seed = (organizationId: string, textOf: (characters: number) => string) => Promise<Seeded>;

const byId = (item: Item): unknown => item.id;

const seedPlants: Seed = async (organizationId, textOf) => {
  const plants = rangeOf(8_004).map((id) => ({ scope: `org:${organizationId}`, id, name: `${id} ${textOf(250)}` }));
  await store("Plants", plants);
  return { expected: plants.map(({ id }) => `${id}`), idOf: ({ name }) => String(name).split(" ")[0] };
};

const seedEvents: Seed = async (organizationId, textOf) => {
  const ids = rangeOf(1_200).map(idAt);
  const events = ids.map((id, i) =>
    toEventItem(
      {
        id,
        organizationId,
        eventType: "PERMISSION_DENIED",
        category: "authorization",
        riskLevel: "HIGH",
        source: "user",
        success: false,
        processed: false,
        alertGenerated: false,
        userAgent: textOf(256),
        resource: textOf(256),
        action: textOf(256),
        errorCode: textOf(256),
        errorMessage: textOf(512),
        metadata: { note: textOf(400) },
        timestamp: NOW - i,
        createdAt: NOW - i,
      },
      TTL,
    ),
  );
  await store("SecurityEvents", events);
  await seedAlerts(organizationId, textOf);
  return { expected: ids, idOf: byId, field: "events" };
};

const seedTransitions: Seed = async (organizationId, textOf) => {
  const ids = rangeOf(1_200).map(idAt);
  const events = ids.map((id, i) =>
    toEventItem(
      {
        id,
        organizationId,
        eventType: "CIRCUIT_BREAKER_CHANGED",
        category: "compliance",
        riskLevel: "MEDIUM",
        source: "user",
        success: true,
        processed: false,
        alertGenerated: false,
        userId: "ada",
        metadata: { generation: i, from: "closed", to: "forced_open", cause: "force_open", reason: textOf(480) },
        timestamp: NOW - i,
        createdAt: NOW - i,
      },
      TTL,
    ),
  );
  await store("SecurityEvents", events);
  return { expected: ids, idOf: byId };
};

const seedAlerts: Seed = async (organizationId, textOf) => {
  const scope = organizationKey(organizationId);
  const alerts = rangeOf(900).map((i) => {
    const firstSeen = NOW - i;
    const hash = alertHash("finding", "policy_violation", `${i}`);
    const id = alertId(hash, firstSeen, identityOf(i));
    return {
      scope,
      key: unresolvedKey(hash),
      id,
      firstSeen,
      lastSeen: firstSeen,
      ttl: TTL,
      count: 1,
      revision: 1,
      title: textOf(256),
      rule: "policy_violation",
      subject: `${i} ${textOf(100)}`,
      level: "HIGH",
      status: "open",
      message: textOf(1_024),
      evidence: JSON.stringify({ note: textOf(400) }),
      evidenceCount: 1,
      eventIds: new Set(rangeOf(20).map(idAt)),
      ...statusEntry(scope, "open", { firstSeen, id }),
    };
  });
  await store("SecurityAlerts", alerts);
  return { expected: alerts.map(({ id }) => id), idOf: byId, path: "?status=open" };
};

const seedRuns: Seed = async (organizationId, textOf) => {
  const ids = rangeOf(100).map((i) => textOf(100) + i);
  const side = { listed: 100, stored: 100, onlyListed: ids, onlyStored: ids };
  const runs = rangeOf(70).map((i) => ({
    ...runKey(organizationId, idAt(i)),
    id: idAt(i),
    ttl: TTL,
    trigger: "scheduled",
    mode: "full",
    status: "failed",
    startedAt: NOW - i,
    finishedAt: NOW - i,
    progress: noProgress(),
    completeness: { customers: side, subscriptions: side, invoices: side, payments: side },
    error: { category: "validation", message: textOf(512) },
  }));
  await store("SyncRuns", runs);
  return { expected: runs.map(({ id }) => id), idOf: byId };
};

const fieldsOf: Record<RecordType, (text: string) => RecordFields> = {
  customers: (text) => ({ name: text, email: text, currency: text, delinquent: null }),
  subscriptions: (text) => ({
    status: text,
    customerId: "cus_1",
    currency: null,
    currentPeriodStart: 1,
    currentPeriodEnd: 2,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    items: rangeOf(2).map(() => ({ priceId: text, quantity: 1, unitAmount: 1, interval: text })),
  }),
  invoices: (text) => ({
    number: text,
    status: text,
    customerId: "cus_1",
    subscriptionId: text,
    currency: text,
    amountDue: 1,
    amountPaid: 1,
    dueAt: null,
    paidAt: null,
  }),
  payments: (text) => ({
    status: text,
    customerId: "cus_1",
    invoiceId: text,
    currency: text,
    amount: 1,
    amountReceived: 1,
    failureCode: text,
  }),
  refunds: (text) => ({
    amount: 1,
    currency: text,
    status: text,
    reason: text,
    paymentId: "pi_1",
    failureReason: text,
  }),
  disputes: (text) => ({
    amount: 1,
    currency: text,
    status: text,
    reason: text,
    paymentId: "pi_1",
    evidenceDueAt: null,
  }),
  payouts: (text) => ({
    amount: 1,
    currency: text,
    status: text,
    method: text,
    arrivesAt: null,
    failureCode: text,
    automatic: true,
  }),
};

const seedRecords =
  (type: RecordType): Seed =>
  async (organizationId, textOf) => {
    const fields = fieldsOf[type](textOf(1_000));
    const records = rangeOf(900).map((i) => ({ id: `${type}_${i}`, type, createdAt: NOW - i, updatedAt: NOW, fields }));
    const common = { observedAt: { from: 1, to: 1 }, isInQuestion: false, version: "1" };
    await store(
      "Records",
      records.map((record) => toRecordItem(organizationId, { ...record, ...common })),
    );
    return { expected: records.map(({ id }) => id), idOf: byId };
  };

const seedErasures: Seed = async (organizationId, textOf) => {
  const erasures = rangeOf(1_100).map((i) => ({
    ...erasureKey(organizationId, idAt(i)),
    what: "all",
    reason: textOf(512),
    status: "running",
    requestedAt: NOW - i,
    requestedBy: textOf(128),
    removed: nothingRemoved,
  }));
  await store("Erasures", erasures);
  return { expected: rangeOf(1_100).map(idAt), idOf: byId };
};

const seedExports: Seed = async (organizationId, textOf) => {
  const filter = { since: 0, until: NOW, ipAddress: textOf(128), userId: textOf(128) };
  const exports = rangeOf(1_100).map((i) => ({
    ...exportKey(organizationId, idAt(i)),
    kind: "events",
    format: "csv",
    filter,
    status: "running",
    requestedAt: NOW - i,
    requestedBy: textOf(128),
    files: [],
    ttl: MONTH_TTL,
  }));
  await store("Exports", exports);
  return { expected: rangeOf(1_100).map(idAt), idOf: byId };
};

const seedReports: Seed = async (organizationId) => {
  const scope = organizationKey(organizationId);
  const reports = rangeOf(1_100).map((i) => periodOf("compliance", NOW - (i + 1) * DAY_MS));
  await store(
    "Reports",
    reports.map((period) => ({
      scope,
      key: entryKey(period),
      ...period,
      id: reportId(period),
      createdAt: 1,
      ttl: TTL,
    })),
  );
  return { expected: reports.map(reportId), idOf: byId };
};

const seedDeliveries: Seed = async (organizationId, textOf) => {
  const events = rangeOf(1_100).map((i) => ({
    ...keyOf({ organizationId, id: `evt_${i}` }),
    type: textOf(255),
    createdSeconds: 1,
    isDeauthorization: false,
    ttl: MONTH_TTL,
    connectionId: "1",
    accountId: "acct_1",
    receivedAt: NOW - i,
    processedAt: NOW,
    outcome: "set_aside",
    observations: "[]",
    failure: textOf(512),
    attempts: 1,
    setAside: [{ kind: "set_aside", type: "invoices", name: textOf(255), reason: "id" }],
  }));
  await store("WebhookEvents", events);
  return { expected: events.map(({ id }) => id), idOf: byId };
};

const seedNotifications: Seed = async (organizationId, textOf) => {
  const destinationId = idAt(0);
  await store("Notifications", [
    {
      ...destinationKey(organizationId, destinationId),
      id: destinationId,
      type: "webhook",
      name: "SOC",
      target: "https://soc.example/",
      status: "active",
      filter: {},
      createdAt: 1,
      createdBy: "ada",
      changedAt: 1,
      changedBy: "ada",
      sealed: new Uint8Array([1]),
      version: "1",
    },
  ]);
  const attempts = rangeOf(9).map((i) => ({ at: NOW - i, latencyMs: 1, status: 500, answer: textOf(256) }));
  const deliveries = rangeOf(1_100).map((i) => ({
    ...deliveryKey(organizationId, { destinationId, deliveryId: idAt(i) }),
    destinationId,
    deliveryId: idAt(i),
    type: "notification.test",
    status: "failed",
    createdAt: NOW - i,
    attempts,
    tries: 9,
    ttl: MONTH_TTL,
  }));
  await store("Notifications", deliveries);
  return { expected: rangeOf(1_100).map((i) => `${destinationId}.${idAt(i)}`), idOf: byId };
};

const seedMutes: Seed = async (organizationId, textOf) => {
  const mutes = rangeOf(1_100).map((i) => ({
    ...muteKey(organizationId, idAt(i)),
    id: idAt(i),
    rules: ["manual"],
    subject: textOf(256),
    from: NOW - i,
    until: NOW + DAY_MS,
    includeCritical: false,
    reason: textOf(500),
    createdBy: textOf(128),
    createdAt: NOW - i,
    ttl: TTL,
  }));
  await store("Mutes", mutes);
  return { expected: rangeOf(1_100).map(idAt), idOf: byId };
};

type PagedName = {
  [Name in keyof typeof routes]: (typeof routes)[Name] extends { paging: object } ? Name : never;
}[keyof typeof routes];

/** At most 20 own rules of 64 KB are less than a page. */
type ListName = Exclude<PagedName, "listCustomRules">;

/** One seed for each list of each route: a route without a seed does not compile. */
const seeds: Record<ListName, readonly Seed[]> = {
  listPlants: [seedPlants],
  listSecurityEvents: [seedEvents],
  listSecurityAlerts: [seedAlerts],
  listCircuitHistory: [seedTransitions],
  listSyncRuns: [seedRuns],
  listWebhookDeliveries: [seedDeliveries],
  listRecords: recordTypes.map(seedRecords),
  listErasures: [seedErasures],
  listReports: [seedReports],
  listExports: [seedExports],
  listDeliveries: [seedNotifications],
  listMutes: [seedMutes],
};

/** Their items are too small to fill a response before `limit` ends the page. */
const SMALL: readonly ListName[] = ["listCircuitHistory", "listErasures", "listReports", "listExports"];

const cases = Object.entries(seeds).flatMap(([name, ofRoute]) =>
  ofRoute.map((seed, i) => {
    const route: Route = routes[name as ListName];
    return {
      name: name as ListName,
      route,
      seed,
      path: route.path.replace("{type}", recordTypes[i] ?? "").replace("{id}", idAt(0)),
    };
  }),
);

/** The function's result as Lambda counts it, without the headers. */
const resultBytes = (body: string): number => Buffer.byteLength(JSON.stringify({ body }));

let organizations = 0;

describe.each(["🌱", '"'])("of characters %s", (character) => {
  it.each(cases)("GET $path has everything once", async ({ name, route, seed, path }) => {
    const organizationId = `page-size-${++organizations}`;
    const {
      expected,
      idOf,
      path: query = "",
      field,
    } = await seed(organizationId, (length) => character.repeat(length));
    const token = await service.mint({ organizationId, role: "admin", userId: "ada" });
    const limit = route.paging?.maxLimit ?? 0;
    const found: unknown[] = [];
    let pages = 0;
    for (
      let next: string | undefined = `${path}${query || "?"}&limit=${limit}`.replace("?&", "?");
      next !== undefined;
    ) {
      const page = await service.request("GET", next, { token });
      expect(page).toMatchObject({ status: 200 });
      expect(Buffer.byteLength(page.text)).toBeLessThan(4_000_000);
      expect(resultBytes(page.text)).toBeLessThan(6_291_556);
      const items = (field === undefined ? page.body : (page.body as Item)[field]) as Item[];
      found.push(...items.map(idOf));
      pages++;
      next = page.next;
    }
    expect(found).toEqual(expected);
    expect(pages).toBeGreaterThan(1);
    if (!SMALL.includes(name)) expect(found.length / pages).toBeLessThan(limit / 1.5);
  });
});
