/** Security events of a busy organization: 90 % LOW, 30 % with a user, 15 combinations of type and level. */

import { eventId } from "../../shared/security/event-id.ts";
import type { Category, EventType, SecurityEvent } from "../../shared/security/security-event.ts";
import type { RiskLevel } from "../../shared/terms/risk-levels.ts";
import { createRandom } from "../support/random.ts";

const MINUTE = 60_000;
const USERS = 200;
/** One event in 5,000. */
const RARE = 0.0002;

type Kind = [share: number, EventType, Category, RiskLevel];

const kinds: readonly Kind[] = [
  [0.62, "PROVIDER_REQUEST", "integration", "LOW"],
  [0.2, "DATA_READ", "data_access", "LOW"],
  [0.03, "PROVIDER_SYNC_STARTED", "integration", "LOW"],
  [0.03, "PROVIDER_SYNC_COMPLETED", "integration", "LOW"],
  [0.02, "PROVIDER_TOKEN_REFRESH", "authentication", "LOW"],
  [0.04, "PROVIDER_REQUEST", "integration", "MEDIUM"],
  [0.02, "PROVIDER_SYNC_FAILED", "integration", "MEDIUM"],
  [0.01, "PROVIDER_SYNC_COMPLETED", "integration", "MEDIUM"],
  [0.01, "RATE_LIMIT_EXCEEDED", "integration", "HIGH"],
  [0.008, "AUTHENTICATION_FAILURE", "authentication", "HIGH"],
  [0.007, "PERMISSION_DENIED", "authorization", "HIGH"],
  [0.004, "PROVIDER_SYNC_FAILED", "integration", "HIGH"],
  [0.0006, "PROVIDER_CONNECTION_ESTABLISHED", "compliance", "LOW"],
  [RARE, "PROVIDER_CONNECTION_REMOVED", "compliance", "MEDIUM"],
  [RARE, "MANUAL_ALERT_GENERATED", "system", "CRITICAL"],
];

const pick = (value: number): Kind => {
  let rest = value * kinds.reduce((sum, [share]) => sum + share, 0);
  for (const kind of kinds) {
    rest -= kind[0];
    if (rest <= 0) return kind;
  }
  return kinds[0] as Kind;
};

/** A number of events, spread evenly between two times. They are the same for the same seed. */
export function* randomEvents(
  organizationId: string,
  { total, from, to, seed }: { total: number; from: number; to: number; seed: number },
): Generator<SecurityEvent, void, void> {
  const random = createRandom(seed);
  const bytes = new Uint8Array(16);
  for (let i = 0; i < total; i++) {
    const [, eventType, category, riskLevel] = pick(random());
    const timestamp = Math.floor(from + ((i + random()) / total) * (to - from));
    const success = riskLevel === "LOW" ? random() > 0.02 : random() > 0.7;
    const isOfUser = eventType === "DATA_READ" || random() < 0.12;
    const user = Math.floor(random() * USERS);
    const isTimed = eventType !== "PERMISSION_DENIED";
    yield {
      id: eventId(
        timestamp,
        bytes.map(() => Math.floor(random() * 256)),
      ),
      organizationId,
      ...(isOfUser && {
        userId: `user-${String(user).padStart(6, "0")}`,
        sessionId: `session-${user}-${timestamp % 7}`,
        ipAddress: `198.51.100.${user}`,
        userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Safari/537.36",
      }),
      eventType,
      category,
      riskLevel,
      source: isOfUser ? "user" : "system",
      resource: `acct_${organizationId}`,
      resourceType: "provider_account",
      action: "sync_invoices",
      success,
      ...(!success && {
        errorCode: "provider_error",
        errorMessage: "The provider answered with 503 Service Unavailable.",
      }),
      ...(isTimed && { metadata: { durationMs: Math.floor(20 + random() * 900), attempts: 1, requestId: `req_${i}` } }),
      processed: false,
      alertGenerated: riskLevel === "HIGH" || riskLevel === "CRITICAL",
      timestamp,
      createdAt: timestamp + Math.floor(random() * MINUTE),
    };
  }
}
