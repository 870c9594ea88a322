/** Where alerts and reports are sent. */

import type { Destination } from "../../api/types.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, RelativeTime } from "../../parts/values.tsx";
import { addressOf, destinationAddress } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { rhythmInWords, selectionInWords, stateOf, types } from "./destination-words.ts";
import { DrillCard } from "./drill-card.tsx";
import { LIST, useDestinations } from "./use-destinations.ts";

const ADD = `${LIST}/new`;
/** The API accepts at most this many: shared/notifications/destination.ts. */
const MOST = 20;

const State = ({ destination }: { destination: Destination }) => {
  const { tone, name, text } = stateOf(destination, useNow());
  return (
    <div>
      <Badge tone={tone}>{name}</Badge>
      {text !== undefined && <p class="notifications-todo">{text}</p>}
    </div>
  );
};

const columns: readonly Column<Destination>[] = [
  {
    head: "Destination",
    isHead: true,
    cell: ({ id, name, type, target }) => (
      <>
        <a href={destinationAddress(id)}>{name}</a>
        <p class="quiet">
          {types[type].name}: <code>{target}</code>
        </p>
      </>
    ),
  },
  { head: "Status", cell: (destination) => <State destination={destination} /> },
  {
    head: "Gets",
    cell: (destination) => (
      <div>
        {selectionInWords(destination)}
        <p class="quiet">{rhythmInWords(destination)}</p>
      </div>
    ),
  },
  {
    head: "Last delivered",
    cell: ({ lastDeliveredAt: at }) =>
      at === undefined ? <span class="quiet">Nothing yet</span> : <RelativeTime at={at} />,
  },
];

const NoDestinations = () => (
  <Empty title="Nothing is sent yet">
    <p>
      Alerts are only shown in this console. Add a destination, and within seconds after an alert is raised, escalated
      or resolved, its receiver knows.
    </p>
    <ul class="notifications-types">
      {Object.entries(types).map(([type, { name, text }]) => (
        <li key={type}>
          <a href={addressOf(ADD, { type })}>{name}</a>
          <p class="hint">{text}</p>
        </li>
      ))}
    </ul>
  </Empty>
);

export const View = () => {
  const destinations = useDestinations();
  const count = destinations.value?.length ?? 0;
  return (
    <Page
      title="Notifications"
      lead="Where alerts and reports are sent, and whether they arrive."
      actions={
        count > 0 &&
        count < MOST && (
          <a class="button main notifications-add" href={ADD}>
            Add a destination
          </a>
        )
      }
    >
      <Loaded of={destinations} what="destinations" isEmpty={({ length }) => length === 0} empty={<NoDestinations />}>
        {(items) => (
          <>
            <Table
              label="Destinations"
              class="rows notifications-list"
              rows={items}
              keyOf={({ id }) => id}
              columns={columns}
            />
            {count >= MOST && <p class="quiet">These are {MOST} destinations, as many as an organization can have.</p>}
          </>
        )}
      </Loaded>
      <DrillCard destinations={destinations.value ?? []} />
    </Page>
  );
};
