/** Where alerts and reports are sent. */
import { addressOf, destinationAddress } from "../../address.ts";
import type { Destination } from "../../api/types.ts";
import { useNow } from "../../clock.ts";
import { Badge } from "../../parts/badge.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { rhythmInWords, selectionInWords, stateOf, types } from "./destination-words.ts";
import { LIST, useDestinations } from "./use-destinations.ts";

const ADD = `${LIST}/new`;
/** The API accepts at most so many: shared/notifications/destination.ts. */
const MOST = 20;

const Row = ({ destination }: { destination: Destination }) => {
  const { id, name, type, target, lastDeliveredAt } = destination;
  const { tone, name: word, text } = stateOf(destination, useNow());
  return (
    <tr>
      <th scope="row">
        <a href={destinationAddress(id)}>{name}</a>
        <p class="quiet">
          {types[type].name}: <code>{target}</code>
        </p>
      </th>
      <td data-head="Status">
        <div>
          <Badge tone={tone}>{word}</Badge>
          {text !== undefined && <p class="notifications-todo">{text}</p>}
        </div>
      </td>
      <td data-head="Gets">
        <div>
          {selectionInWords(destination)}
          <p class="quiet">{rhythmInWords(destination)}</p>
        </div>
      </td>
      <td data-head="Last delivered">
        {lastDeliveredAt === undefined ? <span class="quiet">Never</span> : <RelativeTime at={lastDeliveredAt} />}
      </td>
    </tr>
  );
};

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

export const Notifications = () => {
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
            <table class="rows notifications-list" aria-label="Destinations">
              <thead>
                <tr>
                  <th scope="col">Destination</th>
                  <th scope="col">Status</th>
                  <th scope="col">Gets</th>
                  <th scope="col">Last delivered</th>
                </tr>
              </thead>
              <tbody>
                {items.map((destination) => (
                  <Row key={destination.id} destination={destination} />
                ))}
              </tbody>
            </table>
            {count >= MOST && <p class="quiet">These are {MOST} destinations, as many as an organization can have.</p>}
          </>
        )}
      </Loaded>
    </Page>
  );
};
