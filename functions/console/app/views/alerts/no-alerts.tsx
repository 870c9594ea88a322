import { useCaller } from "../../access.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/states.tsx";
import { isNarrowed, statusChoiceOf, type Wanted } from "./triage.ts";

type Props = { wanted: Wanted; hasMore: boolean; onChoose: (changes: Wanted) => void };

const everything: Wanted = { status: undefined, level: undefined, rule: undefined, assignee: undefined, q: undefined };

const Expectation = () => {
  const { alertThreshold, retentionDays } = useCaller().deployment;
  return (
    <>
      <p>
        An event of level {alertThreshold.toLowerCase()} or more raises an alert at once, and so do attempts to get
        around permissions. Patterns, such as repeated failures to sign in, are looked for a few minutes after each full
        hour. A new alert appears here within 15 seconds.
      </p>
      <p class="quiet">Alerts are kept for {retentionDays} days.</p>
    </>
  );
};

export const NoAlerts = ({ wanted, hasMore, onChoose }: Props) => {
  const choice = statusChoiceOf(wanted);
  if (isNarrowed(wanted)) {
    return (
      <Empty title={hasMore ? "None of the alerts read so far matches" : "No alert matches the filters"}>
        <Button onClick={() => onChoose({ ...everything, status: wanted.status })}>Remove the filters</Button>
      </Empty>
    );
  }
  if (choice === "resolved" || choice === "acknowledged") {
    return (
      <Empty title={`No ${choice} alerts`}>
        <p>An alert is listed here once somebody has {choice} it.</p>
        <Button onClick={() => onChoose(everything)}>Show open alerts</Button>
      </Empty>
    );
  }
  return (
    <Empty title={choice === "all" ? "No alerts" : "All clear: no alert needs you"}>
      <Expectation />
      {choice !== "all" && (
        <Button onClick={() => onChoose({ ...everything, status: "resolved" })}>Show resolved alerts</Button>
      )}
    </Empty>
  );
};
