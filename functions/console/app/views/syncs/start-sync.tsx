import { useState } from "preact/hooks";
import { answer, api, once } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import type { SyncRun } from "../../api/types.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.ts";
import { Options } from "../../parts/options.tsx";
import { HelpLink, ProblemNote } from "../../parts/states.tsx";
import { modes, startAdvice } from "./run-words.ts";

type Mode = SyncRun["mode"];

const options = (["incremental", "full"] as const).map((mode) => ({ value: mode, ...modes[mode] }));

const Refused = ({ problem }: { problem: Problem }) => {
  const advice = startAdvice(problem.code);
  return (
    <ProblemNote problem={problem}>
      {advice !== undefined && <p>{advice.what}</p>}
      <HelpLink to={advice?.link} />
    </ProblemNote>
  );
};

type Props = { onClose: () => void; onStarted: (run: SyncRun) => void };

/** Asks for the mode, and starts a run. */
export const StartSync = ({ onClose, onStarted }: Props) => {
  const [mode, setMode] = useState<Mode>("incremental");
  const start = useConfirmed(
    (chosen: Mode, key) =>
      answer(api.POST("/api/integrations/provider/sync", { params: once(key), body: { mode: chosen } })),
    (run) => {
      notify(
        run.mode === mode
          ? "The sync has started."
          : "The sync has started. It is full, because changes may be missing from the provider’s feed.",
      );
      onStarted(run);
    },
  );
  return (
    <Confirm
      title="Start a sync"
      confirm="Start"
      action={start}
      explain={(problem) => <Refused problem={problem} />}
      onConfirm={() => start.confirm(mode)}
      onClose={onClose}
    >
      <Options legend="Mode" options={options} value={mode} onChoose={setMode} />
    </Confirm>
  );
};
