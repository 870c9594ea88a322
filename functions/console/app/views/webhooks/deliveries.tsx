/** The deliveries of one status, or all. */

import { useMay } from "../../access.ts";
import type { LiveList } from "../../api/live-list.ts";
import type { WebhookDelivery } from "../../api/types.ts";
import { AskingButton, Confirm } from "../../parts/dialog.tsx";
import { Empty, LiveItems, WhyMissing } from "../../parts/states.tsx";
import { TableHead } from "../../parts/table.tsx";
import { Badge, RecordLink, RelativeTime } from "../../parts/values.tsx";
import { addressOf } from "../../words/address.ts";
import { formatDuration, formatNumber } from "../../words/format.ts";
import { typeNames } from "../../words/record-types.ts";
import {
  changeInWords,
  lateBy,
  outcomeInWords,
  processedAfter,
  type Status,
  statuses,
  typeInWords,
} from "./delivery-words.ts";
import { useReplay } from "./use-replay.ts";

const Changes = ({ delivery }: { delivery: WebhookDelivery }) =>
  delivery.changes.length === 0 ? (
    <span class="quiet">No records</span>
  ) : (
    <ul>
      {delivery.changes.map(({ type, id, written }) => {
        const words = changeInWords({ ...(written !== undefined && { written }) }, delivery.status);
        return (
          <li key={`${type} ${id}`}>
            {typeNames[type].one} <RecordLink type={type} id={id} />
            {words !== undefined && <span class="quiet"> {words}</span>}
          </li>
        );
      })}
    </ul>
  );

type ReplayProps = { delivery: WebhookDelivery; onConfirm: () => void };

/** Asks before the delivery is replayed. */
const ReplayButton = ({ delivery: { id, type }, onConfirm }: ReplayProps) => (
  <AskingButton name="Replay" aria-label={`Replay ${id}`}>
    {(close) => (
      <Confirm
        title="Replay this delivery?"
        confirm="Replay"
        onConfirm={() => {
          close();
          onConfirm();
        }}
        onClose={close}
      >
        <p>
          The event <code>{id}</code> ({type}) is processed again, with up to ten tries.
        </p>
        <p>
          It changes only records that are older than the event. An event that is processed twice is applied once. The
          replay is recorded as a security event with your name.
        </p>
      </Confirm>
    )}
  </AskingButton>
);

type RowProps = { delivery: WebhookDelivery; list: LiveList<WebhookDelivery>; mayReplay: boolean };

const Row = ({ delivery: read, list, mayReplay }: RowProps) => {
  const { shown: delivery, replay } = useReplay(read, list);
  const { id, type, status, receivedAt, attempts, replayedAt } = delivery;
  const { tone, name } = statuses[status];
  const outcome = outcomeInWords(delivery);
  const late = lateBy(delivery);
  const took = processedAfter(delivery);
  return (
    <tr>
      <td data-head="Status">
        <Badge tone={tone}>{name}</Badge>
        {attempts !== undefined && attempts > 1 && <p class="quiet">{formatNumber(attempts)} tries</p>}
      </td>
      <th scope="row">
        <b>{typeInWords(type)}</b>
        <p class="quiet">
          <code>{id}</code>
        </p>
        {outcome !== undefined && <p class={status === "failed" ? "webhooks-reason" : "quiet"}>{outcome}</p>}
      </th>
      <td data-head="Records">
        <Changes delivery={delivery} />
      </td>
      <td data-head="Received">
        <RelativeTime at={receivedAt} />
        {late !== undefined && <p class="webhooks-late">{formatDuration(late)} after it happened</p>}
        {took !== undefined && <p class="quiet">processed after {formatDuration(took)}</p>}
        {replayedAt !== undefined && (
          <p class="quiet">
            replayed <RelativeTime at={replayedAt} />
          </p>
        )}
      </td>
      {mayReplay && <td>{status === "failed" && <ReplayButton delivery={delivery} onConfirm={replay} />}</td>}
    </tr>
  );
};

const NoDeliveries = ({ status }: { status: Status | undefined }) =>
  status === undefined ? (
    <Empty title="No webhook has arrived yet">
      <p>
        When the provider reports a change, its delivery appears here within seconds, and stays for 30 days. Until then,
        syncs bring the changes. <a href={addressOf("/console/webhooks", { setup: "open" })}>Set webhooks up</a>
      </p>
    </Empty>
  ) : (
    <Empty title={`No delivery of the last 30 days is “${statuses[status].name.toLowerCase()}”`} />
  );

const HEADS = [{ head: "Status" }, { head: "Event" }, { head: "Records" }, { head: "Received" }];

type Props = { list: LiveList<WebhookDelivery>; status: Status | undefined };

export const Deliveries = ({ list, status }: Props) => {
  const mayReplay = useMay("sync:run");
  return (
    <>
      {status !== undefined && <p class="quiet">{statuses[status].meaning}</p>}
      <LiveItems of={list} what="deliveries" empty={<NoDeliveries status={status} />}>
        {(items) => (
          <>
            {items.some((delivery) => delivery.status === "failed") && <WhyMissing needs="sync:run" />}
            <table class="rows webhooks-list" aria-label="Deliveries">
              <TableHead of={mayReplay ? [...HEADS, { head: "Replay", isHidden: true }] : HEADS} />
              <tbody>
                {items.map((delivery) => (
                  <Row key={delivery.id} delivery={delivery} list={list} mayReplay={mayReplay} />
                ))}
              </tbody>
            </table>
          </>
        )}
      </LiveItems>
    </>
  );
};
