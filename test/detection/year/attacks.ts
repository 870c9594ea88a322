import type { FindingRule } from "../../../shared/security/alerts/finding.ts";
import { HOUR, MINUTE } from "../events.ts";
import { addressOf, type Label, recordedFailures, type Script, type Stage, strangerOf } from "./episode.ts";
import { moneyAttacks } from "./money-attacks.ts";

const label = (rule: FindingRule, subject: string, from: number, to: number): Label => ({ rule, subject, from, to });

/** A time in the hour, so that many episodes continue in the next. */
const soon = ({ at, dice }: Stage): number => at + dice.integer(0, 59 * 60) * 1_000;

const guesses = (stage: Stage, count: number, periodMs: number) => {
  const { dice, user } = stage;
  const from = soon(stage);
  const address = strangerOf(dice);
  return dice.times(count, periodMs).map((time) => ({ at: from + time, user, address }));
};

const bruteForce: Script = (stage) => {
  const failures = guesses(stage, stage.dice.integer(5, 40), 10 * MINUTE);
  const { at, dice, user } = stage;
  if (dice.chance(0.3)) for (const failure of failures.slice(0, 6)) failure.address = strangerOf(dice);
  const events = recordedFailures(stage, failures);
  return { events, labels: [label("repeated_auth_failures", `user:${user}`, at, at + 2 * HOUR)] };
};

const breach: Script = (stage) => {
  const { at, events, dice, user } = stage;
  const failures = guesses(stage, dice.integer(5, 9), 4 * MINUTE);
  const fifth = failures[4]?.at ?? at;
  const success = events.call(fifth + dice.integer(5, 14) * MINUTE, { user, address: "198.51.100.77" });
  const found = label("repeated_auth_failures", `user:${user}`, at, at + 2 * HOUR);
  return { events: [...recordedFailures(stage, failures), success], labels: [{ ...found, level: "CRITICAL" }] };
};

const spray: Script = (stage) => {
  const address = strangerOf(stage.dice);
  const failures = guesses(stage, 150, 8 * MINUTE).map(({ at }, index) => ({
    at,
    user: `target-${index % 30}`,
    address,
  }));
  const { at } = stage;
  return {
    events: recordedFailures(stage, failures),
    labels: [label("repeated_auth_failures", `address:${address}`, at, at + 2 * HOUR)],
  };
};

/** The key was revoked; after hours a user connects again. */
const revokedKey: Script = ({ at, events, dice, user }) => {
  const to = at + dice.integer(4, 8) * HOUR;
  return {
    events: [events.connected(to, { user, address: addressOf(user) })],
    labels: [label("repeated_auth_failures", "connection", at, to), label("sync_silence", "connection", at, to)],
    runs: { mode: "refused", from: at, to },
  };
};

const stolenToken: Script = ({ at, events, dice, profile, user }) => {
  const calls = dice.times(150 + 6 * profile.most, HOUR - 1);
  const address = strangerOf(dice);
  return {
    events: calls.map((time) => events.call(at + time, { user, address }, "read_customers")),
    labels: [label("unusual_api_usage", `user:${user}`, at, at + HOUR)],
  };
};

const scraping: Script = ({ at, events, dice, profile }) => {
  const calls = dice.times(300 + 6 * profile.most, HOUR - 1);
  return {
    events: calls.map((time, index) =>
      events.call(at + time, { user: `bot-${index % 60}`, address: strangerOf(dice) }),
    ),
    labels: [label("unusual_api_usage", "organization", at, at + HOUR)],
  };
};

const rateLimited: Script = (stage) => {
  const { at, events, dice } = stage;
  const from = soon(stage);
  return {
    events: dice.times(dice.integer(3, 6), 12 * MINUTE).map((time) => events.rateLimited(from + time)),
    labels: [label("rate_limit_violations", "limit:provider", at, at + 2 * HOUR)],
  };
};

/** Never three in 15 minutes, but too great a share. */
const oftenLimited: Script = ({ at, events, dice }) => ({
  events: [
    ...dice.times(45, 59 * MINUTE).map((time) => events.operation(at + time)),
    ...[1, 18, 35, 52].map((minute) => events.operation(at + minute * MINUTE, { attempts: 2, rateLimited: 1 })),
  ],
  labels: [label("rate_limit_violations", "limit:provider", at, at + HOUR)],
});

const ownPace: Script = (stage) => {
  const { at, events, dice } = stage;
  const from = soon(stage);
  const times = dice.times(dice.integer(4, 8), 10 * MINUTE);
  return {
    events: times.map((time) => events.operation(from + time, { pacedMs: dice.integer(6_000, 9_000) })),
    labels: [label("rate_limit_violations", "limit:pace", at, at + 2 * HOUR)],
  };
};

const permissions = [
  "security:read",
  "security:manage",
  "sync:run",
  "connection:manage",
  "erasure:request",
  "records:read",
];

const probing: Script = (stage) => {
  const { at, events, dice, user } = stage;
  const from = soon(stage);
  const tried = dice.shuffle(permissions).slice(0, dice.integer(3, 6));
  const times = dice.times(tried.length, 50 * MINUTE);
  return {
    events: tried.map((one, index) =>
      events.denial(from + (times[index] ?? 0), { user, address: addressOf(user) }, one),
    ),
    labels: [label("permission_escalation", `user:${user}`, at, at + 2 * HOUR)],
  };
};

const syncBurst: Script = (stage) => {
  const { at, events, dice, user } = stage;
  const from = soon(stage);
  const trigger = dice.chance(0.5) ? "manual" : "webhook_gap";
  const runs = dice
    .times(dice.integer(18, 40), 45 * MINUTE)
    .flatMap((time, index) => [
      events.runStarted(from + time, `${trigger}-${from}-${index}`, trigger, { user }),
      events.runSucceeded(from + time + 900, `${trigger}-${from}-${index}`, trigger),
    ]);
  return { events: runs, labels: [label("abnormal_sync_frequency", `trigger:${trigger}`, at, at + 2 * HOUR)] };
};

const silence: Script = ({ at, dice }) => {
  const to = at + dice.integer(4, 10) * HOUR;
  return { events: [], labels: [label("sync_silence", "connection", at, to)], runs: { mode: "none", from: at, to } };
};

const brokenStore: Script = (stage) => {
  const { at, events, dice } = stage;
  const from = soon(stage);
  return {
    events: dice.times(dice.integer(3, 6), 4 * MINUTE).map((time) => events.storeFailure(from + time)),
    labels: [label("system_errors", "system", at, at + 2 * HOUR)],
  };
};

const blockedAddress: Script = (stage) => {
  const { at, events, dice, user } = stage;
  const address = strangerOf(dice);
  const times = dice.times(dice.integer(1, 5), 50 * MINUTE);
  return {
    events: times.map((time) => events.blocked(at + time, { user, address })),
    labels: [label("policy_violation", `address:${address}`, at, at + HOUR)],
  };
};

const slowProvider: Script = ({ at, events, dice }) => {
  const times = dice.times(dice.integer(15, 30), 50 * MINUTE);
  return {
    events: times.map((time) => events.operation(at + time, { durationMs: dice.integer(2_000, 5_000) })),
    // The last ten operations stay slow for some hours, with three operations an hour.
    labels: [label("performance_degradation", "provider", at, at + 5 * HOUR)],
  };
};

/** All episodes that must be found. */
export const attacks: Record<string, Script> = {
  bruteForce,
  breach,
  spray,
  revokedKey,
  stolenToken,
  // Between the two attacks that one baseline counts, so that none raises the bar for the other.
  ...moneyAttacks,
  scraping,
  rateLimited,
  oftenLimited,
  ownPace,
  probing,
  syncBurst,
  silence,
  brokenStore,
  blockedAddress,
  slowProvider,
};
