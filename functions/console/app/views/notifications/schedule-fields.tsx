import { Options } from "../../parts/options.tsx";
import { TimeOfDay, Zone } from "../../parts/zoned-fields.tsx";
import type { Draft, DraftProblems } from "./draft.ts";

const RHYTHMS = [
  { value: "each", name: "At once", text: "One message for each alert that is raised, escalated or resolved." },
  { value: "hour", name: "Hourly summary", text: "One message an hour, if there was anything." },
  { value: "day", name: "Daily summary", text: "One message a day, if there was anything." },
] as const;

type Props = { draft: Draft; problems: DraftProblems; onEdit: (changes: Partial<Draft>) => void };

/** When the destination gets it. */
export const ScheduleFields = ({ draft, problems, onEdit }: Props) => {
  const { every, at, digestZone, isQuiet, quiet } = draft;
  const editQuiet = (changes: Partial<Draft["quiet"]>): void => onEdit({ quiet: { ...quiet, ...changes } });
  return (
    <>
      <Options legend="How often" options={RHYTHMS} value={every} onChoose={(choice) => onEdit({ every: choice })} />
      {every === "day" && (
        <div class="times">
          <TimeOfDay
            label="Time of the summary"
            time={at}
            error={problems.at}
            onEnter={(time) => onEdit({ at: time })}
          />
          <Zone label="Time zone of the summary" zone={digestZone} onChoose={(zone) => onEdit({ digestZone: zone })} />
        </div>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={isQuiet}
          onChange={({ currentTarget }) => onEdit({ isQuiet: currentTarget.checked })}
        />
        Quiet hours: hold messages, and send one summary at their end
      </label>
      {isQuiet && (
        <>
          <div class="times">
            <TimeOfDay label="From" time={quiet.from} onEnter={(from) => editQuiet({ from })} />
            <TimeOfDay label="To" time={quiet.to} error={problems.quiet} onEnter={(to) => editQuiet({ to })} />
            <Zone label="Time zone" zone={quiet.timeZone} onChoose={(timeZone) => editQuiet({ timeZone })} />
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={quiet.exceptCritical}
              onChange={({ currentTarget }) => editQuiet({ exceptCritical: currentTarget.checked })}
            />
            Send critical alerts at once all the same
          </label>
        </>
      )}
    </>
  );
};
