/**
 * What an attacker may be doing when a rule finds something: tactics and techniques of MITRE ATT&CK for enterprises
 * (https://attack.mitre.org/), as alerts, notifications and OCSF events name them. attack-by-rule.ts has those of the rules. Pure.
 */
import * as z from "zod/mini";

const TACTIC = /^TA\d{4}$/;
const TECHNIQUE = /^T\d{4}(?:\.\d{3})?$/;

const TACTIC_EXPECTED = "expected the id of a tactic, such as TA0006";
const TECHNIQUE_EXPECTED = "expected the id of a technique, such as T1110 or T1110.003";

export const Attack = z
  .object({
    tactic: z.string({ error: TACTIC_EXPECTED }).check(z.regex(TACTIC, { error: TACTIC_EXPECTED })),
    technique: z.string({ error: TECHNIQUE_EXPECTED }).check(z.regex(TECHNIQUE, { error: TECHNIQUE_EXPECTED })),
  })
  .register(z.globalRegistry, {
    id: "Attack",
    description: "A technique of MITRE ATT&CK, and the tactic that it serves.",
    examples: [{ tactic: "TA0006", technique: "T1110" }],
  });
export type Attack = z.output<typeof Attack>;
