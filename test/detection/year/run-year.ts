import { DAY, HOUR } from "../events.ts";
import { createReplay, type ReplayedHour } from "../replay.ts";
import { type Simulated, simulateOrganization } from "./organization.ts";
import { createScores, type Score } from "./score.ts";

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
      const judged = replay.judge(hour, organization.eventsOf(hour));
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
