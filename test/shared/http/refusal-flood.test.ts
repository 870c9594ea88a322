import { describe, expect, it } from "@jest/globals";
import { routes } from "../../../shared/api/routes.ts";
import { createRefusalRecorder } from "../../../shared/http/refusals.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createAlertOutboxStore } from "../../../shared/security/alerts/alert-outbox-store.ts";
import { createAlertPublisher } from "../../../shared/security/alerts/alert-publisher.ts";
import { createAlertRaiser } from "../../../shared/security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../../../shared/security/alerts/alert-raising-store.ts";
import { createFloodRecorder } from "../../../shared/security/flood.ts";
import { createFloodBudgetStore } from "../../../shared/security/flood-budget-store.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import type { Caller } from "../../../shared/terms/caller.ts";
import { httpEvent } from "../../support/http-event.ts";
import { NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("securityEvents", "securityRollups", "securityAlerts");

/** A function's recorder of refusals that counts its writes, with a bus that accepts every event. */
const countedRecorder = () => {
  const client = database.newClient();
  const counted = { writes: 0 };
  client.middlewareStack.add(
    (next) => (args) => {
      counted.writes++;
      return next(args);
    },
    { step: "initialize", name: "countWrites" },
  );
  const time = { now: NOW };
  const now = () => time.now;
  const random = () => crypto.getRandomValues(new Uint8Array(16));
  const outbox = createAlertOutboxStore(database.table("securityAlerts", client));
  const recorder = createRecorder({
    events: createSecurityEventStore(database.table("securityEvents", client)),
    hours: createOpenHourStore(database.table("securityRollups", client), now),
    alerts: createAlertRaiser({
      store: createAlertRaisingStore(database.table("securityAlerts", client), { retentionDays: 90, random }),
      publisher: createAlertPublisher({ bus: { publish: async () => [] }, outbox }),
      now,
      random,
    }),
    deadLetters: { keep: async ({ error }) => Promise.reject(error) },
    settings: { logLevel: "LOW", alertThreshold: "HIGH", retentionDays: 90 },
    now,
    random,
  });
  const flood = createFloodRecorder("tokens", {
    recorder,
    budget: createFloodBudgetStore(database.table("securityRollups", client), random),
    events: createSecurityEventStore(database.table("securityEvents", client)),
    noteFailure: async () => undefined,
    now,
  });
  return {
    counted,
    time,
    record: createRefusalRecorder({ flood, denials: { record: async () => undefined } }),
  };
};

describe("10,000 bad tokens from one address in a minute", () => {
  it.each([
    [
      "of an organization's user",
      { userId: "eve", organizationId: "acme", role: "guest", sessionId: undefined, scope: "org:acme" },
    ],
    ["of an unknown caller", undefined],
  ] satisfies [string, Caller | undefined][])(
    "%s cost an instance at most 60 writes, including alerts",
    async (_whose, caller) => {
      const { counted, time, record } = countedRecorder();
      const error = new DomainError(caller === undefined ? "invalid_token" : "expired_token", "The token has expired.");
      for (let i = 0; i < 10_000; i++) {
        time.now = NOW + i * 6;
        await record({ route: routes.createPlant, event: httpEvent(), error, caller });
      }
      expect(counted.writes).toBeGreaterThanOrEqual(12);
      expect(counted.writes).toBeLessThanOrEqual(60);
    },
  );
});
