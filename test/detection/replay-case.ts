import type { Finding, FindingRule } from "../../shared/security/alerts/finding.ts";
import { type Case, type Expected, START } from "../shared/detection/rules/case.ts";
import { HOUR } from "./events.ts";
import { byOrganization } from "./organizations.ts";
import { replay } from "./replay.ts";

/** The findings of a rule for a case, in the form of the case's expectations. */
export const replayCase = ({ events, hours }: Case, rule: FindingRule): { raised: Expected[]; findings: Finding[] } => {
  const all = [...byOrganization(events)].flatMap(([organization, own]) =>
    replay(own, { rule, ...(hours !== undefined && { end: START + hours * HOUR }) }).flatMap(({ hour, findings }) =>
      findings.map((finding) => ({ organization, hour, finding })),
    ),
  );
  const raised = all.map(({ organization, hour, finding: { subject, level, evidence } }) => ({
    ...(organization !== "acme" && { organization }),
    hour: (hour - START) / HOUR,
    subject,
    level,
    count: evidence.count,
  }));
  return { raised, findings: all.map(({ finding }) => finding) };
};
