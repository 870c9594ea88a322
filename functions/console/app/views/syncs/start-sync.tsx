import { useState } from "preact/hooks";
import { useCaller } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import type { SyncRun } from "../../api/types.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { Options } from "../../parts/options.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { modes, startAdvice } from "./run-words.ts";

type Mode = SyncRun["mode"];

const options = (["incremental", "full"] as const).map((mode) => ({ value: mode, ...modes[mode] }));

const Refused = ({ problem }: { problem: Problem }) => {
  const { permissions } = useCaller();
  const advice = startAdvice(problem.code);
  return (
    <ProblemNote problem={problem}>
      {advice !== undefined && <p>{advice.what}</p>}
      {advice?.link !== undefined && permissions.includes(advice.link.needs) && (
        <p>
          <a href={advice.link.href}>{advice.link.text}</a>
        </p>
      )}
    </ProblemNote>
  );
};

type Props = { onClose: () => void; onStarted: (run: SyncRun) => void };

/** Asks for the mode, and starts a run. */
export const StartSync = ({ onClose, onStarted }: Props) => {
  const [mode, setMode] = useState<Mode>("incremental");
  const start = useAction((chosen: Mode, key) =>
    answer(
      api.POST("/api/integrations/provider/sync", {
        params: { header: { "Idempotency-Key": key } },
        body: { mode: chosen },
      }),
    ),
  );
  const confirm = async (): Promise<void> => {
    const run = await start.run(mode);
    if (run === undefined) return;
    notify(
      run.mode === mode
        ? "The sync has started."
        : "The sync has started. It is full, because changes may be missing from the provider’s feed.",
    );
    onStarted(run);
  };
  return (
    <Confirm
      title="Start a sync"
      confirm="Start"
      isRunning={start.isRunning}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Options legend="Mode" options={options} value={mode} onChoose={setMode} />
      {start.problem !== undefined && <Refused problem={start.problem} />}
    </Confirm>
  );
};
