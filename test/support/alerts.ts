import { randomBytes } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createTable } from "../../shared/runtime/table.ts";
import type { Alert, AlertPosition, AlertTrigger } from "../../shared/security/alerts/alert.ts";
import { createAlertDecisionStore } from "../../shared/security/alerts/alert-decision-store.ts";
import { createAlertNoteStore } from "../../shared/security/alerts/alert-note-store.ts";
import { createAlertOutboxStore, createWaitingAlertStore } from "../../shared/security/alerts/alert-outbox-store.ts";
import { createAlertRaisingStore } from "../../shared/security/alerts/alert-raising-store.ts";
import { createAlertReopeningStore } from "../../shared/security/alerts/alert-reopening-store.ts";
import { createAlertStore } from "../../shared/security/alerts/alert-store.ts";
import { eventId } from "../../shared/security/event-id.ts";
import type { EmbeddedDynamoDb } from "./embedded-dynamodb.ts";
import { startTables } from "./service-tables.ts";

const TABLE = "securityAlerts";
export const RETENTION_DAYS = 90;

/** A time inside an hour; tests count from it. */
export const NOON = Date.UTC(2026, 10, 21, 12, 0, 30);

export const randomId = (at: number): string => eventId(at, randomBytes(16));

/** All alert stores over one client. */
export const alertStoresOver = (client: DynamoDBDocumentClient) => {
  const options = { retentionDays: RETENTION_DAYS, random: () => randomBytes(16) };
  return {
    ...createAlertStore(createTable(client, TABLE)),
    ...createAlertRaisingStore(createTable(client, TABLE), options),
    ...createAlertDecisionStore(createTable(client, TABLE), options),
    ...createAlertReopeningStore(createTable(client, TABLE)),
    notes: createAlertNoteStore(createTable(client, TABLE)),
    outbox: {
      ...createAlertOutboxStore(createTable(client, TABLE)),
      ...createWaitingAlertStore(createTable(client, TABLE)),
    },
  };
};
export type AlertStores = ReturnType<typeof alertStoresOver>;

/** A real engine with the alert table as the template declares it. */
export const startAlertTable = async (): Promise<
  EmbeddedDynamoDb & { tableName: string; client(): DynamoDBClient; stores(): AlertStores }
> => {
  const database = await startTables(TABLE);
  return {
    ...database,
    tableName: TABLE,
    stores: () => alertStoresOver(database.documentClient()),
  };
};

/** The stores over another endpoint of the engine, such as a proxy. */
export const alertStoresAt = (endpoint: string): AlertStores =>
  alertStoresOver(
    DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint,
        region: "eu-central-1",
        credentials: { accessKeyId: "test", secretAccessKey: "test" },
        maxAttempts: 3,
      }),
      documentTranslation,
    ),
  );

/** A reason to raise an alert at a given time; by default one event with a new id. */
export const reasonAt = (at: number, changes: Partial<AlertTrigger> = {}): AlertTrigger => {
  const id = randomId(at);
  return {
    kind: "event",
    rule: "event_threshold",
    subject: "PERMISSION_DENIED user:ada",
    title: "Authorization failures",
    level: "HIGH",
    occurrence: id,
    eventIds: [id],
    firstSeen: at,
    lastSeen: at,
    ...changes,
  };
};

/** Every alert of an organization, page by page. */
export const listAll = async (
  stores: Pick<AlertStores, "list">,
  organizationId: string,
  {
    now = NOON,
    limit = 1_000,
    ...filters
  }: { now?: number; limit?: number; status?: Alert["status"]; assignee?: string } = {},
): Promise<Alert[]> => {
  const found: Alert[] = [];
  let after: AlertPosition | undefined;
  do {
    const page = await stores.list(organizationId, { ...filters, limit, after, now });
    found.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return found;
};
