import type { SuspiciousActivity } from "../../api/types.ts";
import { RelativeTime } from "../../parts/values.tsx";
import { alertAddress } from "../../words/address.ts";
import { ruleName, subjectOf } from "./words.ts";

/** Findings of detection as entries of a list, each with a link to its alert. */
export const Findings = ({ of }: { of: readonly SuspiciousActivity[] }) => (
  <>
    {of.map(({ alertId, rule, subject, lastSeen }) => (
      <li key={alertId}>
        <a href={alertAddress(alertId)}>{ruleName(rule)}</a> {subjectOf({ rule, subject })?.text}{" "}
        <span class="quiet">
          <RelativeTime at={lastSeen} />
        </span>
      </li>
    ))}
  </>
);
