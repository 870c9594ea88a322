/** What one run read and changed, whether both sides agree, and why it failed. */
import type { RecordType, SyncRun } from "../../api/types.ts";
import { CopiedId, CopyButton } from "../../parts/copy-button.tsx";
import { Facts } from "../../parts/page.tsx";
import { HelpLink } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { RecordLink, Time } from "../../parts/values.tsx";
import { addressOf } from "../../words/address.ts";
import { formatNumber } from "../../words/format.ts";
import { recordTypes, typeNames } from "../../words/record-types.ts";
import { type Difference, differences, oneSided, verdictOf } from "./completeness.ts";
import { advice, healedSentence, modes, setAsideSentence, triggers } from "./run-words.ts";

const Failure = ({ error, id }: { error: NonNullable<SyncRun["error"]>; id: string }) => {
  const { why, what, link } = advice[error.category];
  return (
    <div class="problem serious">
      <p>
        <b>{why}</b> {what}
      </p>
      <p class="quiet">{error.message}</p>
      <HelpLink to={link} />
      {error.category === "system" && (
        <p class="quiet">
          Run id: <code>{id}</code>
        </p>
      )}
    </div>
  );
};

type Props = {
  run: SyncRun;
  /** About how many objects a full run will read, by type. */
  expected: Readonly<Partial<Record<RecordType, number>>> | undefined;
};

const Read = ({ type, run: { status, progress }, expected }: Props & { type: RecordType }) => {
  const { read } = progress[type];
  const most = expected?.[type] ?? 0;
  return (
    <>
      {formatNumber(read)}
      {status === "running" && most > 0 && (
        <progress
          aria-label={`${typeNames[type].many} read, of about ${formatNumber(most)}`}
          value={Math.min(read, most)}
          max={most}
        />
      )}
    </>
  );
};

const Progress = ({ run, expected }: Props) => {
  const compared = differences(run) ?? [];
  const compare = (cell: (one: Difference) => string) => (type: RecordType) =>
    compared.flatMap((one) => (one.type === type ? cell(one) : []));
  const sides: readonly Column<RecordType>[] = [
    { head: "At the provider", isNumber: true, cell: compare(({ listed }) => formatNumber(listed)) },
    { head: "Here", isNumber: true, cell: compare(({ stored }) => formatNumber(stored)) },
    {
      head: "Completeness",
      cell: compare(verdictOf),
      cellClass: (type) =>
        compared.some((one) => one.type === type && one.isComplete) ? "syncs-complete" : "syncs-differs",
    },
  ];
  // While a run is under way, and after one that compared both sides, each type says something.
  const shown = recordTypes.filter(
    (type) => run.status === "running" || compared.length > 0 || run.progress[type].read > 0,
  );
  if (shown.length === 0)
    return run.status === "succeeded" ? <p class="quiet">It read no records, because none had changed.</p> : null;
  return (
    <Table
      class="rows syncs-progress"
      rows={shown}
      keyOf={(type) => type}
      columns={[
        { head: "Records", isHead: true, cell: (type) => typeNames[type].many },
        { head: "Read", isNumber: true, cell: (type) => <Read type={type} run={run} expected={expected} /> },
        { head: "Changed", isNumber: true, cell: (type) => formatNumber(run.progress[type].written) },
        ...(compared.length > 0 ? sides : []),
      ]}
    />
  );
};

const Differing = ({ of }: { of: Difference }) => (
  <>
    {oneSided(of).map(({ ids, isHere, text }) => (
      <details key={text} class="syncs-ids">
        <summary>{text}</summary>
        <ul>
          {ids.map((id) => (
            <li key={id}>{isHere ? <RecordLink type={of.type} id={id} /> : <code>{id}</code>}</li>
          ))}
        </ul>
      </details>
    ))}
  </>
);

export const RunDetails = ({ run, expected }: Props) => {
  const { id, error, startedAt, finishedAt, mode, trigger } = run;
  const unequal = differences(run)?.filter(({ isComplete }) => !isComplete) ?? [];
  return (
    <div class="syncs-details">
      {error !== undefined && <Failure error={error} id={id} />}
      <Progress run={run} expected={expected} />
      {unequal.map((one) => (
        <Differing key={one.type} of={one} />
      ))}
      {unequal.length > 0 && (
        <p class="quiet">
          Objects that change while a run compares both sides may differ for a moment. What a next full run finds again
          is missing indeed.
        </p>
      )}
      <Facts
        of={[
          [
            "Not read",
            run.notRead &&
              `${run.notRead.map((type) => typeNames[type].many).join(", ")}: the key lacks the permission, which Connection names`,
          ],
          ["Started", <Time key="started" at={startedAt} />],
          ["Ended", finishedAt && <Time at={finishedAt} />],
          ["Started by", triggers[trigger].text],
          ["Mode", modes[mode].text],
          ["Healed", healedSentence(run)],
          ["Set aside", setAsideSentence(run)],
          ["Run id", <CopiedId key="id" id={id} what="The run’s id" />],
          [
            "Link",
            <CopyButton
              key="link"
              text={location.origin + addressOf("/console/syncs", { run: id })}
              what="The link to this run"
              label="Copy the link to this run"
            />,
          ],
        ]}
      />
    </div>
  );
};
