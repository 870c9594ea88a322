import type { Finding } from "../../../shared/security/alerts/finding.ts";
import { DAY, HOUR } from "../events.ts";
import { createReplay, type ReplayedHour } from "../replay.ts";
import { createMoneyReplay } from "../replay-money.ts";
import { createDice } from "./dice.ts";
import { type Simulated, simulateOrganization } from "./organization.ts";
import { profiles } from "./profiles.ts";
import { createScores, type Score } from "./score.ts";
import { createTrade } from "./trade.ts";

/** A Sunday. */
export const YEAR_START = Date.UTC(2026, 0, 4);

export type YearOptions = { seed: number; days: number; organizations: number };

export type YearResult = { scores: Score[]; hours: number; events: number; episodes: number };

/** Simulates and judges organizations, hour by hour. @param onOrganization called after each. */
export const runYear = (
  { seed, days, organizations }: YearOptions,
  onOrganization: (organization: Simulated) => void = () => undefined,
): YearResult => {
  const scores = createScores();
  const result = { hours: 0, events: 0, episodes: 0 };
  for (let index = 0; index < organizations; index++) {
    const organization = simulateOrganization({ seed, start: YEAR_START, days }, index);
    const replay = createReplay();
    const fired: ReplayedHour[] = [];
    for (let hour = YEAR_START; hour < YEAR_START + days * DAY; hour += HOUR) {
      const judged = replay.judge(hour, organization.eventsOf(hour), organization.moneyOf(hour));
      result.hours++;
      result.events += judged.events;
      if (judged.findings.length > 0) fired.push(judged);
    }
    result.episodes += organization.episodes.length;
    const { id, profile, episodes } = organization;
    scores.add(
      `${id} (${profile.name})`,
      episodes.flatMap(({ labels }) => labels),
      fired,
    );
    onOrganization(organization);
  }
  return { ...result, scores: scores.all() };
};

/** The false findings of each rule over money in a year of honest payments of one organization. */
export type PeacefulYear = {
  organization: string;
  findings: Partial<Record<Finding["rule"], number>>;
  examples: string[];
};

/** Simulates and judges the money of organizations that nobody attacks: every finding is false. */
export const runPeacefulYear = ({ seed, days, organizations }: YearOptions): PeacefulYear[] =>
  Array.from({ length: organizations }, (_, index) => {
    const profile = profiles[index % profiles.length];
    if (profile === undefined) throw new Error("There are no profiles.");
    const trade = createTrade(profile, createDice(seed * 100_000 + index));
    const judge = createMoneyReplay();
    const year: PeacefulYear = { organization: `${index} (${profile.name})`, findings: {}, examples: [] };
    for (let hour = YEAR_START; hour < YEAR_START + days * DAY; hour += HOUR) {
      for (const { rule, evidence } of judge(hour, trade(hour))) {
        year.findings[rule] = (year.findings[rule] ?? 0) + 1;
        year.examples.push(`${new Date(hour).toISOString()} ${rule} ${JSON.stringify(evidence)}`);
      }
    }
    return year;
  });
