/** "Show what this would have done": asks for a preview of what a form has, and shows its result. */
import { useState } from "preact/hooks";
import { useMay } from "../../access.ts";
import { useAction } from "../../api/action.ts";
import { answer, api, once } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Preview, PreviewRequest, PreviewResult, PreviewSample } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Columns } from "../../parts/columns.tsx";
import { Choice } from "../../parts/field.tsx";
import { Card, Facts } from "../../parts/page.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Level, ShortTime } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { formatNumber, formatShare } from "../../words/format.ts";
import { subjectOf } from "../alerts/words.ts";
import { comparison, dayColumns, isUnderWay, summary } from "./preview-words.ts";

const API = "/api/integrations/provider/detection/previews";
const RUNNING_MS = 1_500;

/** One of what the API previews. */
export type Previewed = Omit<PreviewRequest, "days">;

const columns: readonly Column<PreviewSample>[] = [
  {
    head: "Finding",
    isHead: true,
    cell: ({ title, rule, subject }) => (
      <>
        {title}
        <p class="quiet">{subjectOf({ rule, subject })?.text ?? subject}</p>
      </>
    ),
  },
  { head: "Level", cell: ({ level }) => <Level level={level} /> },
  { head: "Counted", isNumber: true, cell: ({ count }) => formatNumber(count) },
  { head: "Last seen", cell: ({ lastSeen }) => <ShortTime at={lastSeen} /> },
  { head: "Newest event", cell: ({ eventIds: [id] }) => id !== undefined && <a href={eventAddress(id)}>Open it</a> },
];

const Samples = ({ title, of }: { title: string; of: readonly PreviewSample[] }) =>
  of.length === 0 ? null : (
    <section aria-label={title}>
      <h3>{title}</h3>
      <Table
        label={title}
        class="rows"
        rows={of}
        keyOf={({ rule, subject, hour }) => `${rule} ${subject} ${hour}`}
        columns={columns}
      />
    </section>
  );

const Result = ({ of }: { of: PreviewResult }) => (
  <>
    <p role="status">
      <b>{summary(of)}</b>
    </p>
    <Facts of={comparison(of)} />
    <Columns title="Findings by day (UTC)" columns={dayColumns(of)} totalName="Now" badName="With this" />
    <Samples title="Found in addition" of={of.added} />
    <Samples title="No longer found" of={of.removed} />
    <Samples title="Not sent" of={of.withheld} />
  </>
);

const useRunning = (started: Preview | undefined) => {
  const [isOpen, setOpen] = useState(true);
  const id = started?.id;
  return useResource<Preview | null>(
    `preview ${id ?? ""}`,
    async (signal) => {
      if (id === undefined) return null;
      const preview = await answer(api.GET(`${API}/{id}`, { params: { path: { id } }, signal }));
      setOpen(isUnderWay(preview));
      return preview;
    },
    id !== undefined && isOpen ? { everyMs: RUNNING_MS } : {},
  );
};

type Props = {
  /** What the form has; undefined while it has mistakes. */
  of: Previewed | undefined;
  /** Another text for each state of the form. */
  version: string;
};

export const PreviewCard = ({ of, version }: Props) => {
  const [days, setDays] = useState("7");
  const start = useAction((body: PreviewRequest, key) => answer(api.POST(API, { params: once(key), body })));
  const [shown, setShown] = useState<{ preview: Preview; version: string }>();
  const running = useRunning(shown?.preview);
  if (!useMay("security:manage")) return null;
  const preview = running.value ?? shown?.preview;
  const run = async (): Promise<void> => {
    if (of === undefined) return;
    // The types say that each of the three fields is needed; it is one of them.
    const started = await start.run({ days: Number(days), ...of } as PreviewRequest);
    if (started !== undefined) setShown({ preview: started, version });
  };
  const isRunning = start.isRunning || (preview !== undefined && isUnderWay(preview));
  return (
    <Card
      title="What it would have done"
      note="The events of past days are judged again. Nothing is raised, sent or changed."
    >
      <div class="actions">
        <Choice<string>
          label="In the last"
          value={days}
          options={[
            ["1", "1 day"],
            ["7", "7 days"],
            ["30", "30 days"],
            ["90", "90 days"],
          ]}
          onChoose={setDays}
        />
        <Button onClick={() => void run()} isRunning={isRunning} disabled={of === undefined}>
          Show what this would have done
        </Button>
      </div>
      {of === undefined && <p class="quiet">Mend the fields above first.</p>}
      {start.problem !== undefined && <ProblemNote problem={start.problem} />}
      {running.problem !== undefined && <ProblemNote problem={running.problem} onRetry={running.reload} />}
      {preview !== undefined && isUnderWay(preview) && (
        <p role="status">
          Judging {formatNumber(preview.reads)} events again:{" "}
          {formatShare(preview.progress.of === 0 ? 0 : preview.progress.hours / preview.progress.of)} …
        </p>
      )}
      {preview?.error !== undefined && <p class="problem">{preview.error.message}</p>}
      {preview?.result !== undefined && (
        <>
          {shown !== undefined && shown.version !== version && (
            <p class="problem">You have changed the form since. Show it again.</p>
          )}
          <Result of={preview.result} />
        </>
      )}
    </Card>
  );
};
