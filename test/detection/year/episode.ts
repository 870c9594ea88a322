import type { MoneyEvent } from "../../../shared/money/money.ts";
import type { FindingRule } from "../../../shared/security/alerts/finding.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import type { Events } from "../events.ts";
import type { Dice } from "./dice.ts";
import type { Profile } from "./profiles.ts";

/** A finding that a rule must make; times in epoch ms. */
export type Label = { rule: FindingRule; subject: string; level?: "CRITICAL"; from: number; to: number };

/** How scheduled runs end during an episode. */
export type RunMode = "normal" | "none" | "failing" | "refused" | "slow";

/** An attack, or, without labels, a look-alike. */
export type Episode = {
  name: string;
  events: SecurityEvent[];
  /** Counted events about money. */
  money?: readonly MoneyEvent[];
  labels: readonly Label[];
  /** How scheduled runs end between two times. */
  runs?: { mode: RunMode; from: number; to: number };
};

export type Stage = {
  events: Events;
  dice: Dice;
  profile: Profile;
  /** The start, epoch ms: a whole hour, by day. */
  at: number;
  /** One of the organization's own users. */
  user: string;
};

export type Script = (stage: Stage) => Omit<Episode, "name">;

export const addressOf = (user: string): string => `192.0.2.${(Number(user.replace(/\D/g, "")) % 200) + 1}`;
export const strangerOf = (dice: Dice): string => `203.0.113.${dice.integer(1, 250)}`;

const MINUTE_MS = 60_000;
const SINGLE_RECORDS = 5;

type Address = { total: number; lastAt: number; count?: { at: number; failures: number; users: Set<string> } };

/** Refused tokens as one instance records them: after the fifth of an address as a count, which grows for a minute. */
export const recordedFailures = (
  { events }: Pick<Stage, "events">,
  failures: readonly { at: number; user: string; address: string }[],
): SecurityEvent[] => {
  const addresses = new Map<string, Address>();
  const recorded = failures.map(({ at, user, address }) => {
    const known = addresses.get(address);
    const one: Address = known && at - known.lastAt < MINUTE_MS ? known : { total: 0, lastAt: at };
    addresses.set(address, one);
    one.total++;
    one.lastAt = at;
    if (one.total <= SINGLE_RECORDS) return () => [events.tokenFailure(at, { user, address })];
    const current = one.count !== undefined && at - one.count.at < MINUTE_MS ? one.count : undefined;
    const count = current ?? { at, failures: 0, users: new Set<string>() };
    one.count = count;
    count.failures++;
    count.users.add(user);
    const whole = () => ({ failures: count.failures, users: count.users.size });
    return () => (current === undefined ? [events.tokenFailure(at, { address }, whole())] : []);
  });
  return recorded.flatMap((make) => make());
};
