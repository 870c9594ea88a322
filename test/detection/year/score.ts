import { type Finding, type FindingRule, findingRules } from "../../../shared/security/alerts/finding.ts";
import { HOUR } from "../events.ts";
import type { ReplayedHour } from "../replay.ts";
import type { Label } from "./episode.ts";

/** `planted` and `detected` count attacks, `findings` and `false` count findings; with examples of errors. */
export type Score = {
  rule: FindingRule;
  planted: number;
  detected: number;
  findings: number;
  false: number;
  missed: string[];
  mistaken: string[];
};

const MAX_EXAMPLES = 20;

const isAbout = (label: Label, hour: number, { rule, subject }: Finding): boolean =>
  label.rule === rule && label.subject === subject && hour < label.to && hour + HOUR > label.from;

export const createScores = () => {
  const scores = new Map<Finding["rule"], Score>(
    findingRules.map((rule) => [
      rule,
      { rule, planted: 0, detected: 0, findings: 0, false: 0, missed: [], mistaken: [] },
    ]),
  );
  const of = (rule: Finding["rule"]): Score => {
    const score = scores.get(rule);
    if (score === undefined) throw new Error(`There is no rule ${rule}.`);
    return score;
  };

  return {
    /** @param organization its name in examples. */
    add(organization: string, labels: readonly Label[], hours: readonly ReplayedHour[]): void {
      const detected = new Set<Label>();
      for (const { hour, findings } of hours) {
        for (const finding of findings) {
          const score = of(finding.rule);
          score.findings++;
          const about = labels.filter((label) => isAbout(label, hour, finding));
          for (const label of about)
            if (label.level === undefined || label.level === finding.level) detected.add(label);
          if (about.length > 0) continue;
          score.false++;
          const { subject, evidence } = finding;
          score.mistaken.push(`${organization} ${new Date(hour).toISOString()} ${subject} ${JSON.stringify(evidence)}`);
          score.mistaken = score.mistaken.slice(0, MAX_EXAMPLES);
        }
      }
      for (const label of labels) {
        const score = of(label.rule);
        score.planted++;
        if (detected.has(label)) score.detected++;
        else
          score.missed.push(
            `${organization} ${new Date(label.from).toISOString()} ${label.subject} ${label.level ?? ""}`,
          );
      }
    },

    all: (): Score[] => [...scores.values()],
  };
};

export const recallOf = ({ planted, detected }: Score): number => (planted === 0 ? 1 : detected / planted);
export const precisionOf = (score: Score): number =>
  score.findings === 0 ? 1 : (score.findings - score.false) / score.findings;
