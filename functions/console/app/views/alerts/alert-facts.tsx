/** What an alert is about, what it means, and its evidence. */

import type { Alert } from "../../api/types.ts";
import { Card, Facts } from "../../parts/page.tsx";
import { Badge, Level, TimeAndAge } from "../../parts/values.tsx";
import { addressOf, callerAddress, destinationAddress } from "../../words/address.ts";
import { formatNumber } from "../../words/format.ts";
import { FactText } from "../events/event-facts.tsx";
import { metadataFacts } from "../events/metadata.ts";
import { muteAddress } from "../mutes/mute-words.ts";
import { ownRuleAddress } from "../own-rules/own-rule-words.ts";
import { evidenceFacts } from "./evidence.ts";
import { Status } from "./table.tsx";
import { causeNames, ownOf, ownRuleId, ruleName, rules, subjectOf } from "./words.ts";

export const Meaning = ({ alert: { rule, message } }: { alert: Alert }) => {
  const words = ownOf(rules, rule);
  const ownId = ownRuleId(rule);
  return (
    <Card title={ruleName(rule)}>
      {message !== undefined && <p class="alerts-message">{message}</p>}
      {ownId !== undefined && (
        <p>
          A rule of your organization found this. <a href={ownRuleAddress(ownId)}>Open the rule</a>
        </p>
      )}
      {words !== undefined && (
        <>
          <p>{words.means}</p>
          <p>
            <b>What to do:</b> {words.todo}
          </p>
        </>
      )}
    </Card>
  );
};

const SubjectLink = ({ alert }: { alert: Alert }) => {
  const subject = subjectOf(alert);
  if (subject === undefined) return null;
  const { text, filters, destinationId, muteId } = subject;
  if (destinationId !== undefined) return <a href={destinationAddress(destinationId)}>{text}</a>;
  if (muteId !== undefined) return <a href={muteAddress(muteId)}>{text}</a>;
  if (filters === undefined) return <>{text}</>;
  return (
    <>
      <a href={callerAddress(filters)}>{text}</a>{" "}
      <a href={addressOf("/console/events", { period: "7d", ...filters })}>Events of the last 7 days</a>
    </>
  );
};

export const AlertFacts = ({ alert }: { alert: Alert }) => {
  const { level, status, cause, count, firstSeen, lastSeen, assignee, assignedBy, rule, id } = alert;
  return (
    <Facts
      of={[
        ["Drill", alert.drill && <Badge tone="accent">Drill: nothing has happened</Badge>],
        ["Status", <Status status={status} />],
        ["Cause", cause && causeNames[cause]],
        ["Level", <Level level={level} />],
        ["About", rule === "manual" ? undefined : <SubjectLink alert={alert} />],
        ["Raised", count === 1 ? "Once" : `${formatNumber(count)} times`],
        ["First seen", <TimeAndAge at={firstSeen} />],
        ["Last seen", lastSeen === firstSeen ? undefined : <TimeAndAge at={lastSeen} />],
        [
          "Assigned to",
          assignee === undefined ? (
            <span class="quiet">No user</span>
          ) : (
            <>
              <b>{assignee}</b>
              {assignedBy !== undefined && assignedBy !== assignee && <span class="quiet"> by {assignedBy}</span>}
            </>
          ),
        ],
        ["Alert id", <code>{id}</code>],
      ]}
    />
  );
};

export const AlertEvidence = ({ alert: { evidence, metadata } }: { alert: Alert }) => {
  const facts = [...evidenceFacts(evidence), ...metadataFacts(metadata)];
  return facts.length === 0 ? null : (
    <Card title="Evidence">
      <Facts of={facts.map(({ name, value }) => [name, <FactText of={value} />] as const)} />
    </Card>
  );
};
