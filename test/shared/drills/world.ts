/** Drills over real stores, with a clock, a bus and a recorder that tests control. */
import { randomBytes } from "node:crypto";
import { createDrillStore } from "../../../shared/drills/drill-store.ts";
import { createSettleDrill } from "../../../shared/drills/read-drill.ts";
import { createStartDrill } from "../../../shared/drills/request-drill.ts";
import { createRunDrill } from "../../../shared/drills/run-drill.ts";
import { createNotificationDeliveryStore } from "../../../shared/notifications/delivery-store.ts";
import { createDestinationStore } from "../../../shared/notifications/destination-store.ts";
import { createNoticeStore } from "../../../shared/notifications/notice-store.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import { createAlertOutboxStore } from "../../../shared/security/alerts/alert-outbox-store.ts";
import { createAlertPublisher } from "../../../shared/security/alerts/alert-publisher.ts";
import { createAlertRaiser } from "../../../shared/security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../../../shared/security/alerts/alert-raising-store.ts";
import { createAlertStore } from "../../../shared/security/alerts/alert-store.ts";
import { createRaiseForDrill } from "../../../shared/security/alerts/drill-raiser.ts";
import { eventId, identityOf } from "../../../shared/security/event-id.ts";
import { createRecorder } from "../../../shared/security/recorder.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import type { RiskLevel } from "../../../shared/terms/risk-levels.ts";
import { NOW } from "../../support/security-events.ts";
import type { useDatabase } from "../../support/use-table.ts";

export const DRILL_TABLES = ["drills", "securityEvents", "securityRollups", "securityAlerts", "notifications"] as const;

const retentionDays = 90;

/** What a call of a store or of the bus may do first: die, for instance. */
export type Interrupt = (call: string) => void;

/** @param database with DRILL_TABLES. */
export const drillWorld = (database: ReturnType<typeof useDatabase>) => {
  const time = { now: NOW };
  const now = () => time.now;
  const random = () => randomBytes(16);
  const published: BusEvent[] = [];
  const alertStore = createAlertStore(database.table("securityAlerts"));
  const events = createSecurityEventStore(database.table("securityEvents"));
  const drills = createDrillStore(database.table("drills"), { retentionDays, newToken: newRequestToken });

  /** Each call first asks `interrupt`, and asks it again after it has taken effect. */
  const interruptible = <Calls extends object>(calls: Calls, interrupt: Interrupt): Calls =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        async (...args: unknown[]) => {
          interrupt(`before ${name}`);
          const result = await call(...args);
          interrupt(`after ${name}`);
          return result;
        },
      ]),
    ) as Calls;

  const worker = ({
    interrupt = () => undefined,
    logLevel = "LOW",
    alertThreshold = "HIGH",
    destinations = createDestinationStore(database.table("notifications")),
  }: {
    interrupt?: Interrupt;
    logLevel?: RiskLevel;
    alertThreshold?: RiskLevel;
    destinations?: Parameters<typeof createRunDrill>[0]["destinations"];
  } = {}) => {
    const bus = interruptible(
      {
        publish: async <Event extends BusEvent>(sent: readonly Event[]) => {
          published.push(...sent);
          return [] as { event: Event; reason: string }[];
        },
      },
      interrupt,
    );
    const raising = {
      store: interruptible(
        createAlertRaisingStore(database.table("securityAlerts"), { retentionDays, random }),
        interrupt,
      ),
      publisher: createAlertPublisher({ bus, outbox: createAlertOutboxStore(database.table("securityAlerts")) }),
      now,
    };
    const alerts = createAlertRaiser({ ...raising, random });
    const recorder = createRecorder({
      events: interruptible(events, interrupt),
      hours: createOpenHourStore(database.table("securityRollups"), now),
      alerts,
      deadLetters: {
        keep: async ({ error }) => {
          throw error;
        },
      },
      settings: { logLevel, alertThreshold, retentionDays },
      now,
      random,
    });
    const own = interruptible(drills, interrupt);
    const settle = createSettleDrill({
      drills: own,
      notices: createNoticeStore(database.table("notifications")),
      deliveries: createNotificationDeliveryStore(database.table("notifications")),
      now,
    });
    const run = createRunDrill({
      drills: own,
      settle,
      recorder,
      readEvents: events.readStored,
      raiseAlert: createRaiseForDrill(raising),
      destinations,
      now,
    });
    return { recorder, run, settle, start: createStartDrill({ drills: own, settle, now }) };
  };

  let drillCount = 0;
  return {
    time,
    published,
    events,
    drills,
    alerts: alertStore,
    worker,
    /** Starts a drill now. @returns its id */
    async start(organizationId: string): Promise<string> {
      const id = eventId(time.now, identityOf("test", ++drillCount));
      await worker().start(organizationId, { id, startedAt: time.now, origin: undefined });
      return id;
    },
  };
};
