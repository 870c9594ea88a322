import type { FindingRule } from "../../../shared/security/alerts/finding.ts";
import { createFloodCounter } from "../../../shared/security/flood.ts";
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

/** Refused tokens as they are recorded: after the fifth of an address as counts. */
export const recordedFailures = (
  { events }: Pick<Stage, "events">,
  failures: readonly { at: number; user: string; address: string }[],
): SecurityEvent[] => {
  const count = createFloodCounter();
  return failures.flatMap(({ at, user, address }) => {
    const verdict = count(address, user, at);
    if (verdict.record === "nothing") return [];
    if (verdict.record === "single") return [events.tokenFailure(at, { user, address })];
    return [events.tokenFailure(at, { address }, { failures: verdict.failures, users: verdict.users })];
  });
};
