/** Instances that record refusals into one embedded engine, and the checks of what they recorded. */

import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { fromItem } from "../../shared/security/event-item.ts";
import { createFloodRecorder, type PublicKind } from "../../shared/security/flood.ts";
import { createFloodBudgetStore } from "../../shared/security/flood-budget-store.ts";
import { createDenialRecorder } from "../../shared/security/flood-denials.ts";
import type { UserFailures } from "../../shared/security/flood-tally.ts";
import { createRecorder } from "../../shared/security/recorder.ts";
import type { NewSecurityEvent, SecurityEvent } from "../../shared/security/security-event.ts";
import { createSecurityEventStore } from "../../shared/security/security-event-store.ts";
import type { RiskLevel } from "../../shared/terms/risk-levels.ts";
import { useDatabase } from "./use-table.ts";

/** The tables of the refusals of one test file. */
export const useFloodTables = () => useDatabase("securityEvents", "securityRollups");
export type FloodTables = ReturnType<typeof useFloodTables>;

type InstanceOptions = {
  kind?: PublicKind;
  client?: DynamoDBDocumentClient;
  logLevel?: RiskLevel;
  /** Random bytes; the same in each run for a simulation. */
  random?: () => Uint8Array;
  noteFailure?: () => Promise<void>;
};

/** An instance of a function. Its hours and alerts are not stored. */
export const createFloodInstance = (database: FloodTables, now: () => number, options: InstanceOptions = {}) => {
  const { kind = "tokens", logLevel = "LOW", noteFailure = async () => undefined } = options;
  const random = options.random ?? (() => crypto.getRandomValues(new Uint8Array(16)));
  const { client } = options;
  const events = createSecurityEventStore(database.table("securityEvents", client));
  const unrecorded: SecurityEvent[] = [];
  const recorder = createRecorder({
    events,
    hours: { markHourOpen: async () => undefined },
    alerts: { raiseForEvent: async () => undefined },
    deadLetters: { keep: async ({ event }) => void unrecorded.push(event) },
    settings: { logLevel, alertThreshold: "HIGH", retentionDays: 90 },
    now,
    random,
  });
  const budget = createFloodBudgetStore(database.table("securityRollups", client), random);
  const dependencies = { recorder, budget, events, noteFailure, now };
  return {
    ...createFloodRecorder(kind, dependencies),
    denials: createDenialRecorder(dependencies),
    unrecorded,
    restore: recorder.restore,
  };
};

type Who = { organizationId?: string | undefined; userId?: string | undefined };

const refusedRequest = (ipAddress: string, { organizationId, userId }: Who) => ({
  source: "user" as const,
  ...(organizationId !== undefined && { organizationId }),
  ...(userId !== undefined && { userId, sessionId: `session of ${userId}` }),
  ipAddress,
  userAgent: "jest",
  resource: "GET /plants",
  resourceType: "plant" as const,
  action: "get_plants",
  success: false,
  metadata: { requestId: "request-1", permission: "plants:read" },
});

/** A refused token. */
export const refusedToken = (ipAddress: string, who: Who = {}): NewSecurityEvent => ({
  ...refusedRequest(ipAddress, who),
  eventType: "AUTHENTICATION_FAILURE",
  category: "authentication",
  riskLevel: "HIGH",
  errorCode: "40103",
  errorMessage: "The token has expired.",
});

type Denial = Who & {
  ipAddress?: string;
  action?: string;
  riskLevel?: RiskLevel;
  metadata?: Record<string, unknown>;
};

/** A refusal of a valid token. */
export const refusedPermission = ({
  organizationId,
  userId,
  ipAddress = "192.0.2.7",
  riskLevel = "HIGH",
  ...fields
}: Denial): NewSecurityEvent => ({
  ...refusedRequest(ipAddress, { organizationId, userId }),
  eventType: "PERMISSION_DENIED",
  category: "authorization",
  errorCode: "40301",
  errorMessage: "The role does not allow it.",
  riskLevel,
  ...fields,
});

export type RecordedRefusal = SecurityEvent & {
  metadata: { failures?: number; users?: number; lastAt?: number; busiest?: UserFailures[] };
};

/** The stored events of an organization, or of none, in order of time. */
export const recordedRefusals = async (
  database: FloodTables,
  organizationId: string | undefined,
): Promise<RecordedRefusal[]> => {
  const found: RecordedRefusal[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const command = new ScanCommand({ TableName: "securityEvents", ...(start && { ExclusiveStartKey: start }) });
    const page = await database.client.send(command);
    found.push(...(page.Items ?? []).map((item) => fromItem(item) as RecordedRefusal));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return found.filter((event) => event.organizationId === organizationId).sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** The refusals that events stand for. */
export const refusalsIn = (events: readonly { metadata: { failures?: number } }[]): number =>
  events.reduce((sum, { metadata }) => sum + (metadata.failures ?? 1), 0);

/** The most events within any 60 s. */
export const mostInAMinute = (events: readonly { timestamp: number }[]): number =>
  Math.max(
    0,
    ...events.map(
      ({ timestamp: from }) => events.filter(({ timestamp }) => timestamp >= from && timestamp < from + 60_000).length,
    ),
  );
