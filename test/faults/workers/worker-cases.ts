/**
 * Every background function with the work of a good invocation, for the matrix of workers (worker-matrix.ts) and for the
 * work that is given up (given-up-work.ts).
 */
import type { BackgroundFunctionName } from "../../../shared/api/background-functions.ts";
import { consumedEvents } from "../../../shared/api/consumed-events.ts";
import { scheduledEvent } from "../../support/scheduled-event.ts";
import { signatureOf } from "../../support/webhook-sender.ts";
import { patiently } from "../patiently.ts";
import { type Setting, send, succeed } from "../setting.ts";
import { itemsOf } from "../tables.ts";

/** An invocation: the function's name, and the event as it arrives. */
export type Delivery = { name: string; payload: string };

export type WorkerCase = {
  worker: BackgroundFunctionName;
  /** Makes the state on top of the world (world.ts) and the delivery. Runs once for all cells. */
  prepare: (setting: Setting) => Promise<Delivery>;
  /** How far the functions' clock is ahead of the machine's during the invocation; 0 by default. */
  aheadMs?: number;
  /** The hourly functions that find the work again, in the order of their minutes. */
  hourly: readonly BackgroundFunctionName[];
  /** How long after the invocation they run; over an hour by default. */
  foundAfterMs?: number;
  /** What the API shows of the state, in lines that are compared like items. */
  shown?: (setting: Setting) => Promise<readonly string[]>;
};

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PROVIDER = "/api/integrations/provider";
const ORGANIZATION = "acme";

/** @param origin as `source/detail-type`; that of a schedule by default. */
const eventOf = ({ bench }: Setting, detail: object, aheadMs = 0, origin?: string): string => {
  const event = { ...scheduledEvent("delivery-1", bench.now() + aheadMs), detail };
  const [source, type] = origin?.split("/") ?? [];
  return JSON.stringify(origin === undefined ? event : { ...event, source, "detail-type": type });
};

/** The event of a schedule, or of the bus with a detail. */
const startedBy =
  (name: BackgroundFunctionName, detail: object = {}, aheadMs = 0): WorkerCase["prepare"] =>
  async (setting) => {
    const origin = Object.keys(detail).length === 0 ? undefined : consumedEvents(name).at(-1);
    return { name, payload: eventOf(setting, detail, aheadMs, origin) };
  };

/** Returns the first delivery of the published events, and removes these events. @throws Error if there is none. */
const take = ({ lane }: Setting, name: string): Delivery => {
  const first = lane.deliveries().find((delivery) => delivery.name === name);
  lane.forgetEvents();
  if (first === undefined) throw new Error(`No event starts ${name}: ${lane.logged()}`);
  return first;
};

const post = (setting: Setting, path: string, body?: object) =>
  succeed(setting, { method: "POST", target: `${PROVIDER}${path}`, ...(body && { body }) });

/** A few objects change at the provider. */
const change = ({ bench, world: { accountId } }: Setting) =>
  bench.control("POST /provider/changes", { accountId, count: 4, seed: 7 });

const sync = async (setting: Setting, mode?: "full") => {
  await change(setting);
  await post(setting, "/sync", { mode });
};

/** Sends the provider's event of a new customer, signed. `ageMs`: how long ago the event was created. */
const sendWebhook = async (setting: Setting, ageMs = 0, type?: string) => {
  const { bench, world } = setting;
  const { accountId } = world;
  const made = await bench.control<{ events: object[]; objects: { object: string; id: string }[] }>(
    "POST /provider/changes",
    { accountId, action: "create_customer" },
  );
  const now = Math.floor(bench.now() / 1_000);
  const created = Math.floor((bench.now() - ageMs) / 1_000);
  const about = { ...made.events[0], id: "evt_case", created, ...(type !== undefined && { type }) };
  const body = JSON.stringify({ ...about, data: { object: { ...made.objects[0], created, name: "Case" } } });
  const headers = { "stripe-signature": signatureOf(body, world.webhookSecret, now) };
  return send(setting, { method: "POST", target: `/${ORGANIZATION}`, webhook: true, body, headers });
};

const webhook =
  (ageMs = 0, type?: string): WorkerCase["prepare"] =>
  async (setting) => {
    await sendWebhook(setting, ageMs, type);
    return take(setting, "process-webhook");
  };

/** Five refused tokens of the organization, which are a finding. */
const attack = async (setting: Setting) => {
  const token = await setting.bench.mint({ organizationId: ORGANIZATION, userId: "eve", expiresInSeconds: -600 });
  for (let i = 0; i < 5; i++) await setting.lane.request("GET", "/plants", { token });
};

/** Invokes a function ahead of the machine's clock, which must succeed. */
const runAhead = async (setting: Setting, name: string, aheadMs: number): Promise<void> => {
  setting.lane.setClock(aheadMs);
  await run(setting, name, eventOf(setting, {}, aheadMs));
};

/** A refused token is an event of this user. */
const refuse = async ({ bench, lane }: Setting, userId: string): Promise<void> => {
  const token = await bench.mint({ organizationId: ORGANIZATION, userId, expiresInSeconds: -600 });
  await lane.request("GET", "/plants", { token });
};

/** The organization switches the feed on, and the hour of its events is closed. */
const closeFedHour = async (setting: Setting) => {
  await succeed(setting, { method: "PUT", target: `${PROVIDER}/settings`, body: { siemFeed: true } });
  await runAhead(setting, "close-security-hours", NEXT_HOUR_MS);
};

/** The log begins with the hour after the world's; that hour is sealed, and the one after it is closed. */
const closeSealedHours = async (setting: Setting) => {
  await closeFedHour(setting);
  await runAhead(setting, "seal-security-hours", NEXT_HOUR_MS);
  await refuse(setting, "mallory");
  await runAhead(setting, "close-security-hours", NEXT_HOUR_MS + HOUR_MS);
  await runAhead(setting, "seal-security-hours", NEXT_HOUR_MS + HOUR_MS);
  await refuse(setting, "eve");
  await runAhead(setting, "close-security-hours", SEALED_MS);
  setting.lane.forgetEvents();
};

const administrator = ({ bench }: Setting): Promise<string> =>
  bench.mint({ organizationId: ORGANIZATION, role: "admin", userId: "ada", expiresInSeconds: DAY_MS / 1_000 });

const requestErasure = async (setting: Setting): Promise<Delivery> => {
  const token = await administrator(setting);
  const body = { scope: "user", userId: "mallory" };
  await succeed(setting, { method: "POST", target: `${PROVIDER}/erasure`, body, token });
  return take(setting, "run-erasure");
};

/** An hour is closed, and the sealed hour before it has lost a user. */
const closeErasedHours = async (setting: Setting) => {
  await closeSealedHours(setting);
  const { name, payload } = await requestErasure(setting);
  await run(setting, name, payload);
  setting.lane.forgetEvents();
};

/** All hours are sealed, and none is in the archive. */
const sealHours = async (setting: Setting) => {
  await closeSealedHours(setting);
  await runAhead(setting, "seal-security-hours", SEALED_MS);
  setting.lane.forgetEvents();
};

/** A user's events are sealed and in the archive, and the user's erasure is requested. */
const eraseArchived = async (setting: Setting): Promise<Delivery> => {
  await sealHours(setting);
  await runAhead(setting, "write-siem-feed", SEALED_MS);
  setting.lane.forgetEvents();
  return requestErasure(setting);
};

/** Whether the sealed hours verify. */
const integrity = async (setting: Setting): Promise<string[]> => {
  const now = setting.bench.now() + SEALED_MS;
  const until = now - (now % HOUR_MS);
  const target = `${PROVIDER}/security/integrity?since=${until - 6 * HOUR_MS}&until=${until}`;
  const { body } = await succeed(setting, { method: "GET", target, token: await administrator(setting) });
  const { log, hours } = body as { log: string; hours: { count: number; version: number; status: string }[] };
  const shown = hours.map(({ count, version, status }) => `${status}, version ${version}, ${count} events`);
  return [`Integrity ${JSON.stringify({ log, hours: shown })}`];
};

const PREVIEWED = { days: 1, rule: { rule: "permission_escalation", enabled: false } };

/** The functions that find lost work of syncs, alerts, webhooks, erasures, exports and previews. */
const finders: readonly BackgroundFunctionName[] = [
  "sweep-alert-outbox",
  "resume-stalled-syncs",
  "hand-over-webhooks",
  "resume-erasures",
  "resume-exports",
];
const judging: readonly BackgroundFunctionName[] = ["dispatch-detection", "sweep-alert-outbox", "close-security-hours"];
const sealing: readonly BackgroundFunctionName[] = ["close-security-hours", "seal-security-hours"];
/** A drill that is not over after ten minutes has failed, so its own schedule finds it before. */
const drilling = { hourly: ["run-drills", ...finders], foundAfterMs: 4 * MINUTE_MS } as const;
const reporting: readonly BackgroundFunctionName[] = ["sweep-alert-outbox", "dispatch-reports"];

/**
 * An hour is over, and its events can be counted. At the beginning of an hour, so that the faults of a case fall into it:
 * the log has a leaf for each hour.
 */
const NEXT_HOUR_MS = 2 * HOUR_MS - (Date.now() % HOUR_MS) + 6 * MINUTE_MS;
/** Two hours later: `closeSealedHours`. */
const SEALED_MS = NEXT_HOUR_MS + 2 * HOUR_MS;
/**
 * The day after the next at noon: the world has a report of its own day, and near midnight the faults of one case would
 * fall into different days and weeks.
 */
const LATER_DAY_MS = 2.5 * DAY_MS - (Date.now() % DAY_MS);
const LATER_MS = 5 * MINUTE_MS;

/** Invokes a function, which must succeed. */
const run = ({ lane }: Setting, name: string, payload: string): Promise<void> =>
  patiently(async () => {
    if (!(await lane.invoke(name, payload)).ok) throw new Error(`${name} fails: ${lane.logged()}`);
  });

const dispatchSyncs = async (setting: Setting): Promise<{ slot: number }> => {
  const { lane } = setting;
  await change(setting);
  await run(setting, "dispatch-syncs", eventOf(setting, {}));
  const { detail } = lane.published().find((event) => event["detail-type"] === "SyncRequested") ?? {};
  return { slot: (detail as { slot: number }).slot };
};

/** The request for a compliance report of a day that has none. */
const dueReport: WorkerCase["prepare"] = async (setting) => {
  const { lane } = setting;
  lane.setClock(LATER_DAY_MS);
  await run(setting, "dispatch-reports", eventOf(setting, {}));
  const [delivery] = lane.deliveries().filter(({ payload }) => payload.includes('"compliance"'));
  lane.forgetEvents();
  if (delivery === undefined) throw new Error("No report is due.");
  return delivery;
};

const addDestination = async (setting: Setting, more: object = {}): Promise<string> => {
  const body = { type: "webhook", name: "SOC", url: setting.bench.receiverUrl, ...more };
  const made = await post(setting, "/notifications", body);
  setting.lane.forgetEvents();
  return (made.body as { id: string }).id;
};

/** Its link is in a mail, so the confirmation is written to the table. */
const addMailDestination = async (setting: Setting, address = "ada@example.com"): Promise<string> => {
  const body = { type: "email", name: "Ada", address, reports: ["daily"] };
  const { id } = (await post(setting, "/notifications", body)).body as { id: string };
  const stored = itemsOf(await setting.lane.snapshot(), "Notifications").find((item) => item.id === id);
  await setting.lane.put("Notifications", { ...stored, status: "active" });
  setting.lane.forgetEvents();
  return id;
};

/** A mail that the address's side answers: a bounce or a complaint. */
const returned =
  (domain: string): WorkerCase["prepare"] =>
  async (setting) => {
    const id = await addMailDestination(setting, `ada@${domain}`);
    await post(setting, `/notifications/${id}/test`);
    const { name, payload } = take(setting, "send-notifications");
    await run(setting, name, payload);
    return take(setting, "apply-mail-feedback");
  };

const cases = {
  "run-sync, incremental": {
    worker: "run-sync",
    prepare: async (setting) => {
      await sync(setting);
      return take(setting, "run-sync");
    },
    hourly: finders,
  },
  "run-sync, full": {
    worker: "run-sync",
    prepare: async (setting) => {
      await sync(setting, "full");
      return take(setting, "run-sync");
    },
    hourly: finders,
  },
  "run-sync, scheduled": {
    worker: "run-sync",
    prepare: async (setting) => {
      await dispatchSyncs(setting);
      return take(setting, "run-sync");
    },
    hourly: finders,
  },
  "dispatch-syncs": {
    worker: "dispatch-syncs",
    prepare: async (setting) => {
      // An occurrence of four hours ago, so that the lost one is expected.
      await run(setting, "dispatch-syncs", eventOf(setting, {}, -4 * HOUR_MS));
      for (const { name, payload } of setting.lane.deliveries()) await run(setting, name, payload);
      setting.lane.forgetEvents();
      await change(setting);
      return { name: "dispatch-syncs", payload: eventOf(setting, {}) };
    },
    hourly: finders,
  },
  "dispatch-syncs, continued": {
    worker: "dispatch-syncs",
    prepare: async (setting) => {
      const { slot } = await dispatchSyncs(setting);
      setting.lane.forgetEvents();
      return startedBy("dispatch-syncs", { slot, after: "a" })(setting);
    },
    hourly: finders,
  },
  "resume-stalled-syncs": {
    worker: "resume-stalled-syncs",
    prepare: async (setting) => {
      await sync(setting);
      setting.lane.forgetEvents();
      return startedBy("resume-stalled-syncs")(setting);
    },
    aheadMs: LATER_MS,
    hourly: finders,
  },
  // Dated ahead: 30 s after its date an event counts as late, and a slow machine would take longer for the cells.
  "process-webhook": { worker: "process-webhook", prepare: webhook(-HOUR_MS), hourly: finders },
  "process-webhook, late": {
    worker: "process-webhook",
    prepare: webhook(2 * HOUR_MS),
    hourly: finders,
  },
  "process-webhook, deauthorized": {
    worker: "process-webhook",
    prepare: webhook(0, "account.application.deauthorized"),
    hourly: finders,
  },
  "hand-over-webhooks": {
    worker: "hand-over-webhooks",
    prepare: async (setting) => {
      const { lane } = setting;
      lane.inject({ call: "events:PutEvents:WebhookReceived#1", fault: "500", times: "always" });
      await sendWebhook(setting);
      lane.inject(undefined);
      lane.forgetEvents();
      return startedBy("hand-over-webhooks")(setting);
    },
    aheadMs: LATER_MS,
    hourly: finders,
  },
  "sweep-alert-outbox": {
    worker: "sweep-alert-outbox",
    prepare: async (setting) => {
      const { lane } = setting;
      lane.inject({ call: "events:PutEvents:SecurityAlertChanged#1", fault: "500", times: "always" });
      await post(setting, "/security/alert", { action: "generate_alert", title: "Unpublished", riskLevel: "HIGH" });
      lane.inject({ call: "events:PutEvents:CircuitChanged#1", fault: "500", times: "always" });
      await post(setting, "/circuit-breaker", { action: "force_close", reason: "unpublished" });
      lane.inject(undefined);
      lane.forgetEvents();
      return startedBy("sweep-alert-outbox")(setting);
    },
    aheadMs: LATER_MS,
    hourly: finders,
  },
  "close-security-hours": {
    worker: "close-security-hours",
    prepare: startedBy("close-security-hours"),
    aheadMs: NEXT_HOUR_MS,
    hourly: judging,
  },
  "seal-security-hours": {
    worker: "seal-security-hours",
    prepare: async (setting) => {
      await closeErasedHours(setting);
      return startedBy("seal-security-hours")(setting);
    },
    aheadMs: SEALED_MS,
    hourly: sealing,
    shown: integrity,
  },
  "seal-security-hours, first": {
    worker: "seal-security-hours",
    prepare: async (setting) => {
      await closeFedHour(setting);
      return startedBy("seal-security-hours")(setting);
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: sealing,
    shown: integrity,
  },
  "seal-security-hours, continued": {
    worker: "seal-security-hours",
    prepare: async (setting) => {
      await closeErasedHours(setting);
      const until = setting.bench.now() + DAY_MS;
      return startedBy("seal-security-hours", { until })(setting);
    },
    aheadMs: SEALED_MS,
    hourly: sealing,
    shown: integrity,
  },
  "sum-security-days": {
    worker: "sum-security-days",
    prepare: async (setting) => {
      await closeSealedHours(setting);
      return startedBy("sum-security-days")(setting);
    },
    aheadMs: LATER_DAY_MS,
    hourly: ["sum-security-days", ...finders],
  },
  "write-siem-feed": {
    worker: "write-siem-feed",
    prepare: async (setting) => {
      await sealHours(setting);
      return startedBy("write-siem-feed")(setting);
    },
    aheadMs: SEALED_MS,
    hourly: ["close-security-hours", "write-siem-feed"],
  },
  "write-siem-feed, continued": {
    worker: "write-siem-feed",
    prepare: async (setting) => {
      await sealHours(setting);
      const until = setting.bench.now() + DAY_MS;
      return startedBy("write-siem-feed", { until })(setting);
    },
    aheadMs: SEALED_MS,
    hourly: ["close-security-hours", "write-siem-feed"],
  },
  "close-security-hours, continued": {
    worker: "close-security-hours",
    prepare: async (setting) => {
      const until = setting.bench.now() + DAY_MS;
      return startedBy("close-security-hours", { until })(setting);
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: judging,
  },
  "dispatch-detection": {
    worker: "dispatch-detection",
    prepare: async (setting) => {
      await attack(setting);
      return startedBy("dispatch-detection")(setting);
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: judging,
  },
  "dispatch-detection, continued": {
    worker: "dispatch-detection",
    prepare: async (setting) => {
      await attack(setting);
      return startedBy("dispatch-detection", { after: "a", until: setting.bench.now() + DAY_MS })(setting);
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: judging,
  },
  "detect-organization": {
    worker: "detect-organization",
    prepare: async (setting) => {
      const { lane } = setting;
      await attack(setting);
      lane.setClock(NEXT_HOUR_MS);
      lane.forgetEvents();
      await run(setting, "dispatch-detection", eventOf(setting, {}));
      const found = lane.deliveries().filter(({ payload }) => payload.includes(`"organizationId":"${ORGANIZATION}"`));
      lane.forgetEvents();
      const [delivery] = found;
      if (delivery === undefined) throw new Error("No hour is due.");
      return delivery;
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: judging,
  },
  "dispatch-reports": {
    worker: "dispatch-reports",
    prepare: startedBy("dispatch-reports"),
    aheadMs: LATER_DAY_MS,
    hourly: reporting,
  },
  "make-reports": {
    worker: "make-reports",
    prepare: dueReport,
    aheadMs: LATER_DAY_MS,
    hourly: reporting,
  },
  "run-erasure, user": {
    worker: "run-erasure",
    prepare: async (setting) => {
      await post(setting, "/erasure", { scope: "user", userId: "ada" });
      return take(setting, "run-erasure");
    },
    hourly: finders,
  },
  "run-erasure, all": {
    worker: "run-erasure",
    prepare: async (setting) => {
      await post(setting, "/erasure", { scope: "all" });
      return take(setting, "run-erasure");
    },
    hourly: finders,
  },
  "run-erasure, archived": { worker: "run-erasure", prepare: eraseArchived, aheadMs: SEALED_MS, hourly: finders },
  // Only the archive has the events.
  "run-erasure, archived long ago": {
    worker: "run-erasure",
    prepare: eraseArchived,
    aheadMs: 100 * DAY_MS,
    hourly: finders,
  },
  "resume-erasures": {
    worker: "resume-erasures",
    prepare: async (setting) => {
      await post(setting, "/erasure", { scope: "user", userId: "carol" });
      setting.lane.forgetEvents();
      return startedBy("resume-erasures")(setting);
    },
    aheadMs: LATER_MS,
    hourly: finders,
  },
  "run-export": {
    worker: "run-export",
    prepare: async (setting) => {
      await post(setting, "/security/exports", { format: "csv" });
      return take(setting, "run-export");
    },
    hourly: finders,
  },
  "run-preview": {
    worker: "run-preview",
    prepare: async (setting) => {
      await post(setting, "/detection/previews", PREVIEWED);
      return take(setting, "run-preview");
    },
    hourly: finders,
  },
  "run-drills": {
    worker: "run-drills",
    prepare: async (setting) => {
      await post(setting, "/security/drill", {});
      return take(setting, "run-drills");
    },
    ...drilling,
  },
  "run-drills, scheduled": {
    worker: "run-drills",
    prepare: async (setting) => {
      await post(setting, "/security/drill", {});
      setting.lane.forgetEvents();
      return startedBy("run-drills")(setting);
    },
    ...drilling,
  },
  "resume-exports, preview": {
    worker: "resume-exports",
    prepare: async (setting) => {
      await post(setting, "/detection/previews", PREVIEWED);
      setting.lane.forgetEvents();
      return startedBy("resume-exports")(setting);
    },
    aheadMs: LATER_MS,
    hourly: finders,
  },
  "resume-exports": {
    worker: "resume-exports",
    prepare: async (setting) => {
      await post(setting, "/export");
      setting.lane.forgetEvents();
      return startedBy("resume-exports")(setting);
    },
    aheadMs: LATER_MS,
    hourly: finders,
  },
  "restore-security-events": {
    worker: "restore-security-events",
    prepare: async (setting) => {
      const { bench, lane } = setting;
      const token = await bench.mint({ organizationId: ORGANIZATION, userId: "eve", expiresInSeconds: -600 });
      lane.inject({ call: "dynamodb:PutItem:SecurityEvents#1", fault: "500", times: "always" });
      await lane.request("GET", "/plants", { token });
      lane.inject(undefined);
      return take(setting, "restore-security-events");
    },
    hourly: finders,
  },
  "dispatch-notifications": {
    worker: "dispatch-notifications",
    prepare: async (setting) => {
      await addDestination(setting);
      await post(setting, "/security/alert", { action: "generate_alert", title: "Case", riskLevel: "HIGH" });
      return take(setting, "dispatch-notifications");
    },
    hourly: finders,
  },
  "dispatch-notifications, report": {
    worker: "dispatch-notifications",
    prepare: async (setting) => {
      await addMailDestination(setting);
      const { name, payload } = await dueReport(setting);
      await run(setting, name, payload);
      return take(setting, "dispatch-notifications");
    },
    aheadMs: LATER_DAY_MS,
    hourly: reporting,
  },
  "send-notifications": {
    worker: "send-notifications",
    prepare: async (setting) => {
      const id = await addDestination(setting);
      await post(setting, `/notifications/${id}/test`);
      return take(setting, "send-notifications");
    },
    hourly: finders,
  },
  "send-notifications, mail": {
    worker: "send-notifications",
    prepare: async (setting) => {
      const id = await addMailDestination(setting);
      await post(setting, `/notifications/${id}/test`);
      return take(setting, "send-notifications");
    },
    hourly: finders,
  },
  "end-mutes": {
    worker: "end-mutes",
    prepare: async (setting) => {
      const mute = { rules: ["manual"], levels: ["MEDIUM"], until: setting.bench.now() + HOUR_MS, reason: "case" };
      await addDestination(setting, {});
      await post(setting, "/mutes", mute);
      await post(setting, "/security/alert", { action: "generate_alert", title: "Case", riskLevel: "MEDIUM" });
      const { name, payload } = take(setting, "dispatch-notifications");
      await run(setting, name, payload);
      return startedBy("end-mutes")(setting);
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: [...finders, "end-mutes"],
  },
  "send-notifications, summary": {
    worker: "send-notifications",
    prepare: async (setting) => {
      await addDestination(setting, { digest: { every: "hour" } });
      await post(setting, "/security/alert", { action: "generate_alert", title: "Case", riskLevel: "HIGH" });
      const { name, payload } = take(setting, "dispatch-notifications");
      await run(setting, name, payload);
      return take(setting, "send-notifications");
    },
    aheadMs: NEXT_HOUR_MS,
    hourly: finders,
  },
  "apply-mail-feedback": { worker: "apply-mail-feedback", prepare: returned("bounce.example"), hourly: finders },
  "apply-mail-feedback, complaint": {
    worker: "apply-mail-feedback",
    prepare: returned("complaint.example"),
    hourly: finders,
  },
} as const satisfies Record<string, WorkerCase>;

export type WorkerCaseName = keyof typeof cases;

export const workerCases: Readonly<Record<WorkerCaseName, WorkerCase>> = cases;
