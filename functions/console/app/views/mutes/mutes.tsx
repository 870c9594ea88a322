/** The organization's mutes: what each does not let through, until when, and what it hid. */
import { useMay } from "../../access.ts";
import type { Mute } from "../../api/types.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, LiveItems } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, RelativeTime } from "../../parts/values.tsx";
import { useRuleName } from "../own-rules/use-own-rules.ts";
import {
  hiddenInWords,
  levelsInWords,
  muteAddress,
  newMuteAddress,
  states,
  titleOf,
  weeklyInWords,
} from "./mute-words.ts";
import { useMutes } from "./use-mutes.ts";

export const MuteState = ({ state }: Pick<Mute, "state">) => (
  <Badge tone={states[state].tone}>{states[state].name}</Badge>
);

/** @param nameOf names a rule */
const columnsOf = (nameOf: (rule: string) => string): readonly Column<Mute>[] => [
  {
    head: "Mute",
    isHead: true,
    cell: (mute) => (
      <>
        <a href={muteAddress(mute.id)}>{titleOf(mute, nameOf)}</a>
        <p class="quiet">{mute.reason}</p>
      </>
    ),
  },
  { head: "Levels", cell: levelsInWords },
  { head: "State", cell: ({ state }) => <MuteState state={state} /> },
  {
    head: "End",
    cell: (mute) => (
      <div>
        <RelativeTime at={mute.endedAt ?? mute.until} />
        {mute.weekly !== undefined && <p class="quiet">{weeklyInWords(mute)}</p>}
      </div>
    ),
  },
  { head: "Hidden", cell: ({ hidden }) => hiddenInWords(hidden) },
  {
    head: "Made",
    cell: ({ createdAt, createdBy }) => (
      <div>
        <RelativeTime at={createdAt} />
        <p class="quiet">by {createdBy}</p>
      </div>
    ),
  },
];

export const View = () => {
  const list = useMutes();
  const mayManage = useMay("security:manage");
  const columns = columnsOf(useRuleName());
  return (
    <Page
      title="Mutes"
      lead="Alerts that are not sent for a time. They are raised and listed as ever, and what is still open is sent when the mute ends."
      actions={
        mayManage && (
          <a class="button main" href={newMuteAddress({})}>
            Mute alerts …
          </a>
        )
      }
    >
      <LiveItems
        of={list}
        what="mutes"
        empty={
          <Empty title="Nothing is muted">
            <p>All alerts reach the destinations that want them. To mute one, open it and choose “Mute …”.</p>
          </Empty>
        }
      >
        {(items) => <Table label="Mutes" class="rows" rows={items} keyOf={({ id }) => id} columns={columns} />}
      </LiveItems>
    </Page>
  );
};
