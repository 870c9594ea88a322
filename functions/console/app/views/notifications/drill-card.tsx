/** A fire drill of the alarms: the button, the question before it, and the stages of the drill that the address names. */
import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { answer, api, once } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { useResource } from "../../api/resource.ts";
import type { Destination, Drill, StartedDrill } from "../../api/types.ts";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { Card, Facts } from "../../parts/page.tsx";
import { Empty, ProblemNote } from "../../parts/states.tsx";
import { Time } from "../../parts/values.tsx";
import { alertAddress, useFilters } from "../../words/address.ts";
import { outcomeOf, stagesOf, whyNotStarted } from "./drill-words.ts";

const API = "/api/integrations/provider/security/drill";
const RUNNING_MS = 1_500;
/** Until somebody acknowledges its alert. */
const ENDED_MS = 15_000;

const NotStarted = ({ problem }: { problem: Problem }) => {
  const text = whyNotStarted(problem);
  if (text === undefined) return <ProblemNote problem={problem} />;
  return (
    <div class="problem" role="alert">
      <p>{text}</p>
    </div>
  );
};

const StartDialog = ({ onStarted, onClose }: { onStarted: (drill: StartedDrill) => void; onClose: () => void }) => {
  const start = useConfirmed(
    (_: undefined, key) => answer(api.POST(API, { params: once(key), body: {} })),
    (drill) => {
      onClose();
      onStarted(drill);
    },
  );
  return (
    <Confirm
      title="Hold a fire drill?"
      confirm="Hold the drill"
      action={start}
      explain={(problem) => <NotStarted problem={problem} />}
      onConfirm={() => start.confirm(undefined)}
      onClose={onClose}
    >
      <p>
        A brute force that did not happen raises an alert. The alert goes to every active destination at once, past
        filters, quiet hours, digests and mutes. It says everywhere that it is a drill.
      </p>
    </Confirm>
  );
};

const useDrill = (id: string) => {
  const [isRunning, setRunning] = useState(true);
  return useResource<Drill>(
    `drill ${id}`,
    async (signal) => {
      const drill = await answer(api.GET(`${API}/{id}`, { params: { path: { id } }, signal }));
      setRunning(drill.status === "running");
      return drill;
    },
    { everyMs: isRunning ? RUNNING_MS : ENDED_MS },
  );
};

type Props = { destinations: readonly Destination[] };

const Held = ({ id, destinations }: Props & { id: string }) => {
  const { value: drill, problem, reload } = useDrill(id);
  if (problem?.status === 404) return <Empty title="There is no such drill, or it has expired" />;
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {drill !== undefined && (
        <>
          <p role="status">
            <b>{outcomeOf(drill)}</b>
          </p>
          <Facts
            of={[
              ["Started", <Time at={drill.startedAt} />],
              ...stagesOf(drill, destinations).map(({ name, text }) => [name, text] as const),
            ]}
          />
          {drill.alertId !== undefined && (
            <p>
              <a href={alertAddress(drill.alertId)}>Open its alert</a>
            </p>
          )}
        </>
      )}
    </>
  );
};

export const DrillCard = ({ destinations }: Props) => {
  const { filters, set } = useFilters();
  const { drill: id } = filters;
  if (!useMay("security:manage")) return null;
  return (
    <Card
      title="Fire drill"
      note={
        <>
          Shows whether an alert arrives, how fast, and who acknowledges it. Drills are in no statistic. The{" "}
          <a href="/console/settings">settings</a> can have one held each month.
        </>
      }
      actions={
        <AskingButton name="Hold a drill …">
          {(close) => (
            <StartDialog onStarted={(drill) => set({ drill: drill.id }, { replace: true })} onClose={close} />
          )}
        </AskingButton>
      }
    >
      {id !== undefined && <Held key={id} id={id} destinations={destinations} />}
    </Card>
  );
};
