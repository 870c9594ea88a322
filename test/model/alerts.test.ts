import { describe, expect, it } from "@jest/globals";
import type { AlertStatus } from "../../shared/security/alerts/alert.ts";
import type { NewNote } from "../../shared/security/alerts/alert-note.ts";
import { eventId } from "../../shared/security/event-id.ts";
import { isAtLeast, type RiskLevel, riskLevels } from "../../shared/terms/risk-levels.ts";
import { type AlertStores, alertStoresAt, listAll, NOON, RETENTION_DAYS, startAlertTable } from "../support/alerts.ts";
import { depth } from "../support/depth.ts";
import { fc } from "../support/fixed-seed.ts";
import { startLossyProxy } from "../support/lossy-proxy.ts";
import { usePerFile } from "../support/use-started.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

const table = usePerFile(startAlertTable);
const proxy = usePerFile(() => startLossyProxy(table.endpoint));
let organizations = 0;

/** The model of an alert. `id` is set when it is raised; `notes`: assignees and comments, oldest first. */
type Expected = {
  id: string;
  subject: string;
  kind: "event" | "finding";
  status: AlertStatus;
  level: RiskLevel;
  /** Undefined if several reasons raised it at once, in an unknown order. */
  raisedLevel: RiskLevel | undefined;
  escalatedAt?: number;
  reasons: Set<string>;
  firstSeen: number;
  lastSeen: number;
  assignee?: string | undefined;
  notes: (NewNote & { by: string })[];
};
type Model = { alerts: Expected[]; now: number };
type Real = { organization: string; direct: AlertStores; lossy: AlertStores; ids: string[] };

const isLive = ({ lastSeen }: Expected, now: number) =>
  (Math.floor(lastSeen / HOUR) + 1) * HOUR + RETENTION_DAYS * DAY > now;

const unresolved = ({ alerts, now }: Model, subject: string, kind: string) =>
  alerts.find((one) => one.subject === subject && one.kind === kind && one.status !== "resolved" && isLive(one, now));

type Reason = { n: number; age: number; level: RiskLevel };

const reasonOf = ({ n, age, level }: Reason, subject: string, kind: Expected["kind"], now: number) => {
  const id = eventId(NOON, new Uint8Array(16).fill(n));
  return {
    kind,
    rule: `rule of ${kind}`,
    subject,
    title: "t",
    level,
    occurrence: id,
    eventIds: [id],
    ...(kind === "finding" && { evidence: { count: 2, details: {} } }),
    firstSeen: now - age,
    lastSeen: now - age,
  };
};

/** Counts a reason in the model and checks the alert's id. @param isAlone whether no other reason is counted at once. */
const expectRaised = (model: Model, id: string, reason: ReturnType<typeof reasonOf>, isAlone: boolean): void => {
  const { subject, kind, level, occurrence, firstSeen, lastSeen } = reason;
  const known = unresolved(model, subject, kind);
  if (known === undefined) {
    // A new alert replaces an expired one that was never resolved.
    model.alerts = model.alerts.filter(
      (one) => one.subject !== subject || one.kind !== kind || one.status === "resolved",
    );
    model.alerts.push({
      id,
      subject,
      kind,
      status: "open",
      level,
      raisedLevel: isAlone ? level : undefined,
      reasons: new Set([occurrence]),
      firstSeen,
      lastSeen,
      notes: [],
    });
    return;
  }
  expect(id).toBe(known.id);
  if (known.reasons.has(occurrence)) return;
  known.reasons.add(occurrence);
  known.firstSeen = Math.min(known.firstSeen, firstSeen);
  known.lastSeen = Math.max(known.lastSeen, lastSeen);
  if (isAtLeast(known.level, level)) return;
  known.level = level;
  known.escalatedAt = model.now;
};

const compare = async ({ alerts, now }: Model, { organization, direct }: Real, limit: number): Promise<void> => {
  const found = await listAll(direct, organization, { now, limit });
  const live = alerts.filter((one) => isLive(one, now));
  expect(
    found.map(({ id, status, level, count, eventIds, firstSeen, lastSeen, assignee, comments }) => ({
      id,
      status,
      level,
      count,
      eventIds,
      firstSeen,
      lastSeen,
      assignee,
      comments: comments ?? 0,
    })),
  ).toEqual(
    [...live]
      .sort((a, b) => b.firstSeen - a.firstSeen || (a.id < b.id ? 1 : -1))
      .map(({ id, status, level, reasons, firstSeen, lastSeen, assignee, notes }) => ({
        id,
        status,
        level,
        count: reasons.size,
        eventIds: [...reasons].sort().reverse(),
        firstSeen,
        lastSeen,
        assignee,
        comments: notes.filter(({ change }) => change === "commented").length,
      })),
  );
  for (const { id, level, raisedLevel, escalatedAt } of live) {
    if (raisedLevel === undefined) continue;
    const alert = found.find((one) => one.id === id);
    expect(alert?.raisedLevel).toBe(raisedLevel === level ? undefined : raisedLevel);
    expect(alert?.escalatedAt).toBe(escalatedAt);
  }
  const findings = await direct.listUnresolvedFindings(organization, now);
  expect(findings.map(({ id, evidence }) => [id, evidence?.count]).sort()).toEqual(
    live
      .filter(({ kind, status }) => kind === "finding" && status !== "resolved")
      .map(({ id, reasons }) => [id, 2 * reasons.size])
      .sort(),
  );
  for (const { id, notes } of live) {
    const all = await direct.notes.list(organization, id);
    // The others are of reopenings.
    const stored = all.filter(({ change }) => change === "assigned" || change === "commented");
    expect(stored.map(({ change, note: { id: _, ...said } }) => ({ change, ...said }))).toEqual(notes);
  }
};

type Command = fc.AsyncCommand<Model, Real>;
const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const reason = fc.record<Reason>({
  n: fc.integer({ min: 0, max: 20 }),
  age: fc.integer({ min: 0, max: 5 }),
  level: fc.constantFrom(...riskLevels),
});
const subject = fc.constantFrom("a", "b");
const kind = fc.constantFrom("event" as const, "finding" as const);
const way = fc.constantFrom("direct" as const, "lossy" as const);

const raise = fc.tuple(reason, subject, kind, way).map(([one, about, of, over]) =>
  command(`raise ${JSON.stringify(one)} ${of} ${about} ${over}`, async (model, real) => {
    const said = reasonOf(one, about, of, model.now);
    const isNew = unresolved(model, about, of)?.reasons.has(said.occurrence) !== true;
    const { alert, change } = await real[over].raise(real.organization, said, model.now);
    expectRaised(model, alert.id, said, true);
    // After a lost answer, a counted reason may be published again.
    if (isNew || over === "direct") expect(change !== undefined).toBe(isNew);
    real.ids.push(alert.id);
  }),
);

const raiseAtOnce = fc
  .tuple(fc.uniqueArray(reason, { minLength: 2, maxLength: 8, selector: ({ n }) => n }), subject, kind)
  .map(([all, about, of]) =>
    command(`raise at once ${JSON.stringify(all)} ${of} ${about}`, async (model, real) => {
      const said = all.map((one) => reasonOf(one, about, of, model.now));
      const raised = await Promise.all(said.map((one) => real.direct.raise(real.organization, one, model.now)));
      expect(new Set(raised.map(({ alert }) => alert.id)).size).toBe(1);
      for (const [i, { alert }] of raised.entries()) {
        const own = said[i];
        if (own !== undefined) expectRaised(model, alert.id, own, false);
      }
    }),
  );

const decide = fc
  .tuple(fc.constantFrom("acknowledge" as const, "resolve" as const), fc.nat(), way)
  .map(([action, pick, over]) =>
    command(`${action} ${pick} ${over}`, async (model, real) => {
      const id = real.ids[pick % Math.max(1, real.ids.length)] ?? "none";
      const known = model.alerts.find((one) => one.id === id && isLive(one, model.now));
      const { outcome } = await real[over][action](real.organization, id, { by: "ada", now: model.now });
      const isDone = known?.status === "resolved" || (action === "acknowledge" && known?.status === "acknowledged");
      expect(outcome).toBe(known === undefined ? "notFound" : isDone ? "unchanged" : "changed");
      if (known !== undefined && !isDone) known.status = action === "resolve" ? "resolved" : "acknowledged";
      await expect(real.direct[action]("another", id, { by: "eve", now: model.now })).resolves.toEqual({
        outcome: "notFound",
      });
    }),
  );

const reopen = fc.tuple(fc.nat(), way).map(([pick, over]) =>
  command(`reopen ${pick} ${over}`, async (model, real) => {
    const id = real.ids[pick % Math.max(1, real.ids.length)] ?? "none";
    const known = model.alerts.find((one) => one.id === id && isLive(one, model.now));
    const newer = known && unresolved(model, known.subject, known.kind);
    const reopened = real[over].reopen(real.organization, id, { by: "ada", now: model.now });
    if (known?.status === "resolved" && newer !== undefined) {
      await expect(reopened).rejects.toMatchObject({ code: "alert_superseded" });
      return;
    }
    const isDone = known?.status !== "resolved";
    const { outcome } = await reopened;
    expect(outcome).toBe(known === undefined ? "notFound" : isDone ? "unchanged" : "changed");
    if (known !== undefined && !isDone) known.status = "open";
    await expect(real.direct.reopen("another", id, { by: "eve", now: model.now })).resolves.toEqual({
      outcome: "notFound",
    });
  }),
);

const users = ["ada", "bob"] as const;
const newNote = fc.oneof(
  fc.constantFrom(...users, null).map((assignee): NewNote => ({ change: "assigned", assignee })),
  fc.constantFrom("seen", "why?").map((text): NewNote => ({ change: "commented", text })),
);

const add = fc.tuple(newNote, fc.constantFrom(...users), fc.nat(), way).map(([note, by, pick, over]) =>
  command(`${by} adds ${JSON.stringify(note)} to ${pick} ${over}`, async (model, real) => {
    const id = real.ids[pick % Math.max(1, real.ids.length)] ?? "none";
    const known = model.alerts.find((one) => one.id === id && isLive(one, model.now));
    const { outcome } = await real[over].notes.add(real.organization, id, note, { by, now: model.now });
    const isDone =
      note.change === "assigned" && (known?.status === "resolved" || (known?.assignee ?? null) === note.assignee);
    expect(outcome).toBe(known === undefined ? "notFound" : isDone ? "unchanged" : "changed");
    if (known !== undefined && !isDone) {
      known.notes.push({ ...note, by });
      if (note.change === "assigned") known.assignee = note.assignee ?? undefined;
    }
    await expect(real.direct.notes.add("another", id, note, { by, now: model.now })).resolves.toEqual({
      outcome: "notFound",
    });
  }),
);

const wait = fc.constantFrom(1, HOUR, 60 * DAY).map((ms) =>
  command(`wait ${ms}`, async (model) => {
    model.now += ms;
  }),
);

const look = fc
  .integer({ min: 1, max: 4 })
  .map((limit) => command(`look, ${limit} at a time`, (model, real) => compare(model, real, limit)));

describe("alerts", () => {
  it("behave as the model, for any order of concurrent commands with lost answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands([raise, raise, raiseAtOnce, decide, reopen, add, add, wait, look], { maxCommands: 30 }),
        async (commands) => {
          const model: Model = { alerts: [], now: NOON };
          const real: Real = {
            organization: `model-${++organizations}`,
            direct: table.stores(),
            lossy: alertStoresAt(proxy.url),
            ids: [],
          };
          await fc.asyncModelRun(() => ({ model, real }), commands);
          await compare(model, real, 3);
        },
      ),
      { seed: 20_261_121, numRuns: depth(10, 60) },
    );
  });
});
