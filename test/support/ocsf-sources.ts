import { eventId } from "../../shared/security/event-id.ts";
import {
  categories,
  eventTypes,
  resourceTypes,
  type SecurityEvent,
  sources,
} from "../../shared/security/security-event.ts";
import { riskLevels } from "../../shared/terms/risk-levels.ts";
import { fc } from "./fixed-seed.ts";
import { NOW } from "./security-events.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("constructor", "__proto__", "a,b"),
);
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom("2001:db8::/64", "::ffff:192.0.2.1", "fe80::1%eth0", "1.2.3.4 [cut]", ""),
);
const metadata = fc.oneof(
  fc.record(
    {
      requestId: text,
      runId: text,
      alertId: text,
      erasureId: text,
      attempts: fc.nat(),
      durationMs: fc.oneof(fc.nat(), fc.double(), text),
      constructor: fc.json(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);

/** Security events of all types, also unknown ones, with any of the optional fields. */
export const arbitraryOcsfSource: fc.Arbitrary<SecurityEvent> = fc.record(
  {
    id: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((random) => eventId(NOW, random)),
    organizationId: text,
    userId: text,
    sessionId: text,
    eventType: fc.oneof(
      { arbitrary: fc.constantFrom(...Object.keys(eventTypes)), weight: 9 },
      fc.constantFrom("OF_A_LATER_VERSION", "constructor"),
    ),
    category: fc.constantFrom(...categories),
    riskLevel: fc.constantFrom(...riskLevels),
    source: fc.constantFrom(...sources),
    ipAddress: address,
    userAgent: text,
    location: text,
    resource: text,
    resourceType: fc.constantFrom(...resourceTypes),
    action: text,
    success: fc.boolean(),
    errorCode: text,
    errorMessage: text,
    metadata,
    processed: fc.boolean(),
    processedAt: fc.constant(NOW),
    alertGenerated: fc.boolean(),
    alertLevel: fc.constantFrom(...riskLevels),
    timestamp: fc.integer({ min: 0, max: NOW }),
    createdAt: fc.constant(NOW),
  },
  {
    requiredKeys: [
      "id",
      "eventType",
      "category",
      "riskLevel",
      "source",
      "success",
      "processed",
      "alertGenerated",
      "timestamp",
      "createdAt",
    ],
    noNullPrototype: true,
  },
);

/** One event of each type, level and result, with all fields. */
export const allKindsOfEvents: SecurityEvent[] = Object.keys(eventTypes).flatMap((eventType) =>
  riskLevels.flatMap((riskLevel) =>
    sources.flatMap((source) =>
      [true, false].map((success) => ({
        id: eventId(NOW, new Uint8Array(16)),
        organizationId: "acme",
        userId: "ada",
        sessionId: "s-1",
        eventType,
        category: "integration",
        riskLevel,
        source,
        ipAddress: "192.0.2.1",
        userAgent: "curl/8",
        resource: "acct_1",
        resourceType: "provider_account",
        action: "sync",
        success,
        errorCode: "40301",
        errorMessage: "refused",
        metadata: { requestId: "r-1", durationMs: 5 },
        processed: false,
        alertGenerated: false,
        timestamp: NOW,
        createdAt: NOW,
      })),
    ),
  ),
);
