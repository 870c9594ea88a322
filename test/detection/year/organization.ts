import { type MoneyEvent, timeOf } from "../../../shared/money/money.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { startOfHour } from "../../../shared/terms/hours.ts";
import { createEvents, DAY, HOUR, MINUTE } from "../events.ts";
import { attacks } from "./attacks.ts";
import { createDice } from "./dice.ts";
import { addressOf, type Episode, type RunMode, type Script } from "./episode.ts";
import { lookAlikes } from "./look-alikes.ts";
import { type Profile, profiles } from "./profiles.ts";
import { createTrade } from "./trade.ts";

/** Time for a first baseline, and for each episode to end before the next. */
const FIRST_EPISODE_DAY = 1;
const DAYS_PER_EPISODE = 2;

export type Simulated = {
  id: string;
  profile: Profile;
  episodes: readonly Episode[];
  /** All events of an hour, in no order. Must be called for each hour in order. */
  eventsOf: (hourStart: number) => SecurityEvent[];
  /** All counted events about money of an hour, in no order. Must be called for each hour in order. */
  moneyOf: (hourStart: number) => MoneyEvent[];
};

/** Simulates an organization from `start` (a Sunday at midnight, epoch ms), the same for the same seed and index. */
export const simulateOrganization = (
  { seed, start, days }: { seed: number; start: number; days: number },
  index: number,
): Simulated => {
  const id = `org-${index}`;
  const dice = createDice(seed * 1_000 + index);
  const events = createEvents(id);
  const profile = profiles[index % profiles.length] ?? profiles[0];
  if (profile === undefined) throw new Error("There are no profiles.");

  // Attacks and look-alikes in turn, every kind equally often, and not again within eight weeks.
  const scripts = [attacks, lookAlikes].map((kind) => Object.entries(kind));
  const episodes: Episode[] = [];
  for (let day = FIRST_EPISODE_DAY; day + 1 < days; day += DAYS_PER_EPISODE) {
    const turn = episodes.length;
    const kinds: [string, Script][] = scripts[turn % 2] ?? [];
    const [name, script] = kinds[(Math.floor(turn / 2) + index * 3) % kinds.length] ?? [];
    if (name === undefined || script === undefined) continue;
    const at = start + day * DAY + dice.integer(8, 13) * HOUR;
    const user = `user-${dice.integer(0, profile.users - 1)}`;
    episodes.push({ name, ...script({ events, dice, profile, at, user }) });
  }

  const byHour = new Map<number, SecurityEvent[]>();
  for (const event of episodes.flatMap((episode) => episode.events)) {
    const hour = startOfHour(event.timestamp);
    byHour.set(hour, [...(byHour.get(hour) ?? []), event]);
  }

  const trade = createTrade(profile, createDice(seed * 1_000 + index + 500));
  const moneyByHour = Map.groupBy(
    episodes.flatMap(({ money = [] }) => money),
    (event) => startOfHour(timeOf(event)),
  );
  const moneyOf = (hourStart: number) => [...trade(hourStart), ...(moneyByHour.get(hourStart) ?? [])];

  const modeAt = (time: number): RunMode =>
    episodes.find(({ runs }) => runs !== undefined && time >= runs.from && time < runs.to)?.runs?.mode ?? "normal";

  const scheduledRun = (at: number): SecurityEvent[] => {
    const mode = modeAt(at);
    const runId = `run-${at}`;
    if (mode === "none") return [];
    const started = events.runStarted(at, runId);
    const operations = Array.from({ length: 3 }, (_, step) =>
      events.operation(at + step * 300, { durationMs: dice.integer(80, 200) }),
    );
    if (mode === "refused")
      return [started, events.credentialsRefused(at + 200), events.runFailed(at + 400, runId, "scheduled", "http_401")];
    if (mode === "failing") return [started, events.runFailed(at + 900, runId)];
    return [started, ...operations, events.runSucceeded(at + 1_200, runId)];
  };

  /** Rare harmless events: a mistyped token, one rate limit, one denial, a manual run, one store failure. */
  const littleThings = (hourStart: number): SecurityEvent[] => {
    const at = hourStart + dice.integer(0, 59) * MINUTE;
    const user = `user-${dice.integer(0, profile.users - 1)}`;
    return [
      ...(dice.chance(0.02) ? [events.tokenFailure(at, { user, address: addressOf(user) })] : []),
      ...(dice.chance(0.02) ? [events.operation(at, { attempts: 2, rateLimited: 1 })] : []),
      ...(dice.chance(0.01) ? [events.denial(at, { user, address: addressOf(user) }, "sync:run")] : []),
      ...(dice.chance(0.01) && modeAt(at) === "normal"
        ? [
            events.runStarted(at, `hand-${at}`, "manual", { user }),
            events.runSucceeded(at + 900, `hand-${at}`, "manual"),
          ]
        : []),
      ...(dice.chance(0.005) ? [events.storeFailure(at)] : []),
    ];
  };

  const eventsOf = (hourStart: number): SecurityEvent[] => {
    const share = (hourStart - start) / (days * DAY);
    const calls = Array.from({ length: profile.calls(hourStart, dice, share) }, () => {
      const user = `user-${dice.integer(0, profile.users - 1)}`;
      return events.call(hourStart + dice.integer(0, HOUR - 1), { user, address: addressOf(user) });
    });
    const connecting = hourStart === start ? [events.connected(start)] : [];
    const run = scheduledRun(hourStart + (index % 50) * 1_000 + MINUTE);
    return [...connecting, ...calls, ...run, ...littleThings(hourStart), ...(byHour.get(hourStart) ?? [])];
  };

  return { id, profile, episodes, eventsOf, moneyOf };
};
