import { useEffect, useId, useRef } from "preact/hooks";
import type { SyncRun } from "../../api/types.ts";
import { Badge, RelativeTime } from "../../parts/values.tsx";
import { useNow } from "../../words/clock.ts";
import { formatNumber, plural } from "../../words/format.ts";
import { isComplete } from "./completeness.ts";
import { RunDetails } from "./run-details.tsx";
import { advice, lastedInWords, modes, readInAll, statuses, triggers, writtenInAll } from "./run-words.ts";

/** Redrawn each second, alone. */
const Lasted = ({ run }: { run: SyncRun }) => <>{lastedInWords(run, useNow())}</>;

const changed = (run: SyncRun): string => {
  const written = writtenInAll(run);
  const read = formatNumber(readInAll(run));
  if (run.status === "running") return `${read} read, ${formatNumber(written)} changed so far`;
  if (written === 0) return "Nothing changed";
  return `${plural(written, "record")} changed, ${read} read`;
};

const Completeness = ({ run }: { run: SyncRun }) => {
  const complete = isComplete(run);
  if (complete === undefined) return null;
  return complete ? <Badge tone="good">Complete</Badge> : <Badge tone="warn">Differs</Badge>;
};

type Props = {
  run: SyncRun;
  expected: Parameters<typeof RunDetails>[0]["expected"];
  isOpen: boolean;
  onToggle: () => void;
};

export const RunRow = ({ run, expected, isOpen, onToggle }: Props) => {
  const { status, mode, trigger, startedAt, error, setAside } = run;
  const details = useId();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li class="syncs-run" ref={row}>
      <button type="button" class="syncs-summary" aria-expanded={isOpen} aria-controls={details} onClick={onToggle}>
        <span class="syncs-state">
          <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>
        </span>
        <span class="syncs-what">
          <b>{error === undefined ? changed(run) : advice[error.category].why}</b>
          <span class="quiet">
            {modes[mode].name} · {triggers[trigger].name}
          </span>
        </span>
        <span class="syncs-marks">
          <Completeness run={run} />
          {setAside !== undefined && setAside > 0 && <Badge tone="warn">{formatNumber(setAside)} set aside</Badge>}
        </span>
        <span class="syncs-when">
          <RelativeTime at={startedAt} />
          <span class="quiet">
            <Lasted run={run} />
          </span>
        </span>
      </button>
      <div id={details} hidden={!isOpen}>
        {isOpen && <RunDetails run={run} expected={expected} />}
      </div>
    </li>
  );
};
