/** Exports the events of a selection: asks for the format, and follows the export. */
import { useState } from "preact/hooks";
import { answer, api, once } from "../../api/client.ts";
import type { Export } from "../../api/types.ts";
import { Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { Options } from "../../parts/options.tsx";
import { Bullets } from "../../parts/page.tsx";
import { serviceNow } from "../../words/clock.ts";
import { type Format, formats } from "../exports/export-words.ts";
import { StartedExport } from "../exports/started-export.tsx";
import { API as EXPORTS } from "../exports/use-exports.ts";
import { type Chosen, periodOf, periods, queryOf } from "./query.ts";
import { chips } from "./selection.ts";

const FORMATS = (Object.keys(formats) as Format[]).map((value) => ({ value, ...formats[value] }));

export const ExportDialog = ({ chosen, onClose }: { chosen: Chosen; onClose: () => void }) => {
  const [format, setFormat] = useState<Format>("ndjson");
  const [started, setStarted] = useState<Export>();
  const start = useConfirmed((wanted: Format, key) => {
    const body = { ...queryOf(chosen, serviceNow()), format: wanted };
    return answer(api.POST(EXPORTS, { params: once(key), body }));
  }, setStarted);
  if (started !== undefined) return <StartedExport export={started} onClose={onClose} />;
  const period = periodOf(chosen);
  const selected = chips(chosen);
  return (
    <Confirm
      title="Export events"
      confirm={start.isRunning ? "Starting …" : "Start the export"}
      action={start}
      onConfirm={() => start.confirm(format)}
      onClose={onClose}
    >
      <p>
        {selected.length === 0 ? "All events" : "The events"}{" "}
        {period === undefined ? "of the chosen time" : `of the last ${periods[period].label}`}, newest first
        {selected.length === 0 ? "." : ", that match these filters:"}
      </p>
      {selected.length > 0 && <Bullets of={selected.map(({ text }) => text)} />}
      <Options legend="Format" options={FORMATS} value={format} onChoose={setFormat} />
      <p class="quiet">The export is recorded as a security event with your name. Its files are kept for 7 days.</p>
    </Confirm>
  );
};
