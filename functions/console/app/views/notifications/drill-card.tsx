/** A fire drill of the alarms: the button, the question before it, and the stages of the drill that it started. */
import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { answer, api, once } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Destination, Drill, StartedDrill } from "../../api/types.ts";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { Card, Facts } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { alertAddress } from "../../words/address.ts";
import { outcomeOf, stagesOf } from "./drill-words.ts";

const API = "/api/integrations/provider/security/drill";
const RUNNING_MS = 1_500;
/** Until somebody acknowledges its alert. */
const ENDED_MS = 15_000;

const StartDialog = ({ onStarted, onClose }: { onStarted: (drill: StartedDrill) => void; onClose: () => void }) => {
  const start = useConfirmed(
    (_: undefined, key) => answer(api.POST(API, { params: once(key), body: {} })),
    (drill) => {
      onStarted(drill);
      onClose();
    },
  );
  return (
    <Confirm
      title="Hold a fire drill?"
      confirm="Hold the drill"
      action={start}
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

const useDrill = (started: StartedDrill | undefined) => {
  const [isRunning, setRunning] = useState(true);
  const id = started?.id;
  return useResource<Drill | null>(
    `drill ${id ?? ""}`,
    async (signal) => {
      if (id === undefined) return null;
      const drill = await answer(api.GET(`${API}/{id}`, { params: { path: { id } }, signal }));
      setRunning(drill.status === "running");
      return drill;
    },
    id === undefined ? {} : { everyMs: isRunning ? RUNNING_MS : ENDED_MS },
  );
};

export const DrillCard = ({ destinations }: { destinations: readonly Destination[] }) => {
  const [started, setStarted] = useState<StartedDrill>();
  const { value: drill, problem, reload } = useDrill(started);
  if (!useMay("security:manage")) return null;
  return (
    <Card
      title="Fire drill"
      note="Shows whether an alert arrives, how fast, and who acknowledges it. Drills are in no statistic."
      actions={
        <AskingButton name="Hold a drill …">
          {(close) => <StartDialog onStarted={setStarted} onClose={close} />}
        </AskingButton>
      }
    >
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {drill && (
        <>
          <p role="status">
            <b>{outcomeOf(drill)}</b>
          </p>
          <Facts of={stagesOf(drill, destinations).map(({ name, text }) => [name, text])} />
          {drill.alertId !== undefined && (
            <p>
              <a href={alertAddress(drill.alertId)}>Open its alert</a>
            </p>
          )}
        </>
      )}
    </Card>
  );
};
