import type { Finding, FindingRule } from "../../shared/security/alerts/finding.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { type Case, type Expected, START } from "../shared/detection/rules/case.ts";
import { HOUR } from "./events.ts";
import { byOrganization } from "./organizations.ts";
import { replay } from "./replay.ts";

/** The findings of a rule for a case, in the form of the case's expectations. */
export const replayCase = (
  { events, money, hours }: Case,
  rule: FindingRule,
): { raised: Expected[]; findings: Finding[] } => {
  const options = { rule, ...(hours !== undefined && { end: START + hours * HOUR }) };
  const organizations: [string, SecurityEvent[]][] =
    money === undefined ? [...byOrganization(events)] : [["acme", [...events]]];
  const all = organizations.flatMap(([organization, own]) =>
    replay(own, options, money).flatMap(({ hour, findings }) =>
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
