/** One mute: what it does, what it has hidden, and how to end it. */
import { useRoute } from "preact-iso/router";
import { useCaller, useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import type { Alert, Mute } from "../../api/types.ts";
import { AskingButton, Confirm, useConfirmed } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.ts";
import { Card, Facts, Page } from "../../parts/page.tsx";
import { Empty, Loaded, Pages } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Level, RelativeTime, TimeAndAge } from "../../parts/values.tsx";
import { alertAddress } from "../../words/address.ts";
import { formatNumber } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";
import { Status } from "../alerts/table.tsx";
import { useRuleName } from "../own-rules/use-own-rules.ts";
import { levelsInWords, MUTES_PATH, titleOf, weeklyInWords } from "./mute-words.ts";
import { MuteState } from "./mutes.tsx";
import { API, useHiddenAlerts, useMute } from "./use-mutes.ts";

const EndButton = ({ id, onEnded }: { id: string; onEnded: () => void }) => {
  const end = useConfirmed(
    (_: undefined) => answer(api.DELETE(`${API}/{id}`, { params: { path: { id } } })),
    () => {
      notify("The mute has ended.");
      onEnded();
    },
  );
  return (
    <AskingButton name="End the mute …" kind="main">
      {(close) => (
        <Confirm
          title="End the mute?"
          confirm="End the mute"
          action={end}
          onConfirm={() => end.confirm(undefined)}
          onClose={() => {
            end.clear();
            close();
          }}
        >
          <p>
            Alerts are sent again from now on. Those that it has hidden and that are not resolved are sent within five
            minutes, each once; more than five for a destination are one summary.
          </p>
        </Confirm>
      )}
    </AskingButton>
  );
};

const columns: readonly Column<Alert>[] = [
  { head: "Alert", isHead: true, cell: ({ id, title }) => <a href={alertAddress(id)}>{title}</a> },
  { head: "Level", cell: ({ level }) => <Level level={level} /> },
  { head: "Status", cell: ({ status }) => <Status status={status} /> },
  { head: "Raised", cell: ({ firstSeen }) => <RelativeTime at={firstSeen} /> },
];

const Hidden = ({ mute: { id, hidden } }: { mute: Mute }) => {
  const list = useHiddenAlerts(id, hidden.alerts);
  return (
    <Card title="What it has hidden">
      <Facts
        of={[
          ...levels.map((level) => {
            const count = hidden.byLevel[level] ?? 0;
            return [`${levelNames[level]} alerts`, count === 0 ? undefined : formatNumber(count)] as const;
          }),
          ["Notifications not sent", formatNumber(hidden.notifications)],
        ]}
      />
      <Pages of={list} what="alerts" whole="the hidden alerts" empty={<p class="quiet">No alert so far.</p>}>
        {(items) => <Table label="Hidden alerts" class="rows" rows={items} keyOf={(one) => one.id} columns={columns} />}
      </Pages>
    </Card>
  );
};

export const View = () => {
  const { id = "" } = useRoute().params;
  const { retentionDays } = useCaller().deployment;
  const mayManage = useMay("security:manage");
  const mute = useMute(id);
  const nameOf = useRuleName();
  const all = <a href={MUTES_PATH}>All mutes</a>;
  if (mute.problem?.status === 404)
    return (
      <Page title="Mute" lead={all}>
        <Empty title="There is no such mute">
          <p>Ended mutes are kept for {retentionDays} days. Or the address is mistyped.</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title={mute.value === undefined ? "Mute" : titleOf(mute.value, nameOf)}
      lead={all}
      actions={
        mayManage &&
        mute.value !== undefined &&
        mute.value.state !== "ended" && <EndButton id={id} onEnded={mute.reload} />
      }
    >
      <Loaded of={mute} what="the mute">
        {(value) => (
          <>
            <Card title="The mute">
              <Facts
                of={[
                  ["State", <MuteState state={value.state} />],
                  ["Reason", value.reason],
                  ["Levels", levelsInWords(value)],
                  ["Begins", <TimeAndAge at={value.from} isDue />],
                  [
                    value.endedAt === undefined ? "Ends" : "Ended",
                    <TimeAndAge at={value.endedAt ?? value.until} isDue />,
                  ],
                  ["Ended by", value.endedBy],
                  ["Each week", weeklyInWords(value)],
                  ["Made by", value.createdBy],
                ]}
              />
            </Card>
            <Hidden mute={value} />
          </>
        )}
      </Loaded>
    </Page>
  );
};
