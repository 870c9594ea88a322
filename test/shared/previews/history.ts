/**
 * Random histories of an organization, judged hour by hour by the functions of detection, over stores in memory: what a
 * preview is compared with.
 */
import { createBaselines } from "../../../shared/detection/baselines.ts";
import type { CustomResult, OwnFinding } from "../../../shared/detection/custom-rules/custom-result-store.ts";
import type { StoredRule } from "../../../shared/detection/custom-rules/custom-rule-item.ts";
import { createCustomRulesHour } from "../../../shared/detection/custom-rules/custom-rules-hour.ts";
import { endsWindow } from "../../../shared/detection/custom-rules/judge-custom-rules.ts";
import { createJudgeScope } from "../../../shared/detection/detect-organization.ts";
import { type Fact, factOf } from "../../../shared/detection/evidence/fact.ts";
import type { RunFact } from "../../../shared/detection/evidence/syncing.ts";
import type { RulesSettings } from "../../../shared/detection/rule-settings.ts";
import { createReadSyncFacts } from "../../../shared/detection/sync-facts-store.ts";
import type { Window } from "../../../shared/detection/window-store.ts";
import { createPastBaselineStore } from "../../../shared/previews/past-baselines.ts";
import type { Finding } from "../../../shared/security/alerts/finding.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { createEvents, DAY, HOUR, MINUTE } from "../../detection/events.ts";
import { createRandom } from "../../support/random.ts";

export const ORGANIZATION = "acme";
const SCOPE = organizationKey(ORGANIZATION);
export const START = Date.UTC(2026, 9, 10);
export const SYNC_INTERVAL_MS = 4 * HOUR;

/** When a fact was recorded, epoch ms. */
export type Recorded = { fact: Fact; recordedAt: number };
export type History = { hours: number; recorded: Recorded[]; runs: RunFact[]; random: () => number };

/** Bursts of every kind that a rule looks for, and calls at all times; few users and addresses. */
export const randomHistory = (seed: number, hours: number, bursts: number): History => {
  const random = createRandom(seed);
  const pick = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[Math.floor(random() * values.length)] ?? values[0];
  const made = createEvents(ORGANIZATION);
  const recorded: Recorded[] = [];
  const runs: RunFact[] = [];
  const add = (event: SecurityEvent): void => {
    if (event.timestamp >= START + hours * HOUR) return;
    // Some events are recorded hours later, when their hour has been judged.
    const lateMs = random() < 0.05 ? Math.floor(random() * 5 * HOUR) : 1_000;
    recorded.push({ fact: factOf(event), recordedAt: event.timestamp + lateMs });
  };
  const run = (startedAt: number, trigger: string, isSucceeded: boolean): void => {
    const id = `run-${runs.length}`;
    const status = isSucceeded ? "succeeded" : "failed";
    runs.push({ id, trigger, status, startedAt, finishedAt: startedAt + 20_000 });
    add(made.runStarted(startedAt, id, trigger));
  };

  for (let at = START; at < START + hours * HOUR; at += 4 * HOUR) run(at + 5 * MINUTE, "scheduled", random() < 0.7);
  for (let burst = 0; burst < bursts; burst++) {
    const start = START + Math.floor(random() * hours * 12) * 5 * MINUTE + pick([0, 0, -1, 1, 30_000]);
    const who = { user: pick(["ada", "bob", "eve"]), address: pick(["192.0.2.1", "198.51.100.7", "2001:db8::1"]) };
    const kind = Math.floor(random() * 9);
    const size = Math.floor(random() * (kind === 0 ? 220 : 14)) + 1;
    const gap = pick([10_000, 45_000, 2 * MINUTE, 4 * MINUTE]);
    for (let i = 0; i < size; i++) {
      const at = Math.max(START, start + i * (kind === 0 ? 5_000 : gap));
      if (kind === 0) add(made.call(at, who));
      else if (kind === 1) add(made.tokenFailure(at, who));
      else if (kind === 2) add(made.tokenFailure(at, { address: who.address }, { failures: 7, users: 3 }));
      else if (kind === 3)
        add(made.denial(at, who, pick(["security:read", "sync:run", "records:read", "connection:manage"])));
      else if (kind === 4) add(made.rateLimited(at));
      else if (kind === 5) add(made.storeFailure(at));
      else if (kind === 6) add(made.blocked(at, who));
      else if (kind === 7) run(at, "manual", random() < 0.5);
      else add(made.operation(at, { attempts: 1, pacedMs: 6_000 }));
    }
  }
  runs.sort((a, b) => a.startedAt - b.startedAt);
  return { hours, recorded, runs, random };
};

const rule = (
  id: string,
  fields: Pick<StoredRule, "filter" | "windowMinutes" | "condition"> & Partial<StoredRule>,
) => ({
  id,
  name: id,
  level: "MEDIUM" as const,
  mode: "live" as const,
  measure: "count" as const,
  revision: 1,
  createdAt: 0,
  createdBy: "ada",
  changedAt: 0,
  changedBy: "ada",
  version: "1",
  ...fields,
});

export const ownRules: StoredRule[] = [
  rule("denials", { filter: { success: false }, groupBy: "userId", windowMinutes: 60, condition: { gte: 4 } }),
  rule("spread", {
    filter: { categories: ["authentication", "data_access"] },
    measure: { distinct: "userId" },
    groupBy: "ipAddress",
    windowMinutes: 720,
    condition: { gte: 3 },
  }),
  rule("day", { filter: { networks: ["192.0.2.0/24"] }, windowMinutes: 1_440, condition: { gte: 30 }, level: "HIGH" }),
  rule("silence", { filter: { eventTypes: ["DATA_READ"] }, windowMinutes: 180, condition: { lt: 2 } }),
];

/** A finding with its hour's start, epoch ms. */
export type Judged = { hour: number; finding: Finding };

/** Judges a history as detection does: hours with events, silent hours, and those that end a window of silence. */
export const judgeHistory = async (
  { hours, recorded, runs, random }: History,
  settings: RulesSettings,
): Promise<{ judged: Judged[]; times: Map<number, number> }> => {
  const time = { now: START };
  const windows = new Map<number, Window>();
  const results = new Map<string, string>();
  const found: Judged[] = [];
  const byHour = Map.groupBy(recorded, ({ fact }) => fact.at - (fact.at % HOUR));
  const at = (hour: number) => (byHour.get(hour) ?? []).filter(({ recordedAt }) => recordedAt <= time.now);
  const lastSuccess = () =>
    runs.findLast(({ status, finishedAt = 0 }) => status === "succeeded" && finishedAt <= time.now)?.finishedAt;

  const judge = createJudgeScope({
    windows: {
      latest: async (_scope, hour) =>
        windows.get([...windows.keys()].filter((one) => one <= hour).reduce((a, b) => Math.max(a, b), -1)),
      async put(_scope, window) {
        windows.set(window.hour, window);
        return window;
      },
      async markFinished(_scope, hour) {
        const window = windows.get(hour);
        if (window !== undefined) windows.set(hour, { ...window, finishedAt: time.now });
      },
    },
    events: { readHour: async (_scope, hour) => at(hour).map(({ fact }) => fact) },
    settings: { read: async () => settings },
    judgeMoney: async () => 0,
    baselines: createBaselines(createPastBaselineStore({ users: {} }, {})),
    readSyncFacts: createReadSyncFacts({
      connections: { read: async () => ({ status: "connected", connectedAt: 0 }) as never },
      circuits: { read: async () => ({ state: "closed", generation: 0, starts: [] }) as never },
      runs: { readState: async () => ({ lastSuccessAt: lastSuccess() }) },
      syncFacts: {
        endedRuns: async (_organization, { from, to }) =>
          runs.filter(({ startedAt }) => startedAt >= from && startedAt < to),
      },
      syncIntervalMs: SYNC_INTERVAL_MS,
    }),
    customRules: createCustomRulesHour({
      rules: { listForJudging: async () => ownRules, addDryRun: async () => undefined },
      results: {
        async put(_scope, hour, result: CustomResult) {
          if (result.findings.length + result.carried.size === 0) return undefined;
          carriedResults.set(String(hour), result);
          for (const finding of result.findings as readonly OwnFinding[]) found.push({ hour, finding });
          results.set(String(hour), "stored");
          return { token: String(hour), findings: result.findings.length };
        },
        read: async (_scope, hour) => carriedResults.get(String(hour)) ?? { findings: [], carried: new Map() },
      },
      connectedSpans: async () => [{ since: 0 }],
      raise: async () => undefined,
    }),
    raise: async () => undefined,
    markReportsDue: async () => undefined,
    now: () => time.now,
  });
  const carriedResults = new Map<string, CustomResult>();

  for (let hour = START; hour < START + hours * HOUR; hour += HOUR) {
    time.now = hour + HOUR + (6 + Math.floor(random() * 40)) * MINUTE;
    const isSilent = hour + HOUR - (lastSuccess() ?? 0) >= 2 * SYNC_INTERVAL_MS;
    const endsSilence = endsWindow(180, { start: hour, end: hour + HOUR });
    if (at(hour).length === 0 && !isSilent && !endsSilence) continue;
    const { window } = await judge(SCOPE, hour);
    found.push(...window.findings.map((finding) => ({ hour, finding })));
  }
  return { judged: found, times: new Map([...windows].map(([hour, { judgedAt }]) => [hour, judgedAt])) };
};

export { DAY, HOUR };
