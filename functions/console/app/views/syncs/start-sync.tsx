import { useState } from "preact/hooks";
import { answer, api, once } from "../../api/client.ts";
import type { Problem } from "../../api/problem.ts";
import { useCircuit } from "../../api/reads.ts";
import type { SyncRun } from "../../api/types.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.ts";
import { Options } from "../../parts/options.tsx";
import { HelpLink, ProblemNote } from "../../parts/states.tsx";
import { useNow } from "../../words/clock.ts";
import { stateOf, stateSentence } from "../circuit-breaker/state-words.ts";
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

const CIRCUIT_REFRESH_MS = 5_000;

/** A run needs the provider: who starts one knows first that no request may reach it. */
const Held = () => {
  const circuit = useCircuit(CIRCUIT_REFRESH_MS).value?.organizationStats;
  const now = useNow();
  if (circuit === undefined || !["open", "forced_open"].includes(stateOf(circuit))) return null;
  return (
    <div class="problem serious">
      <p>{stateSentence(circuit, now)} A run that starts now fails.</p>
      <HelpLink to={startAdvice(50303)?.link} />
    </div>
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
      <Held />
      <Options legend="Mode" options={options} value={mode} onChoose={setMode} />
    </Confirm>
  );
};
