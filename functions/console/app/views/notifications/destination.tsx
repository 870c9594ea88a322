/** One destination: its state, what it gets, a test, and what was sent. */
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso/router";
import { answer, api, once, page } from "../../api/client.ts";
import { useLiveList } from "../../api/live-list.ts";
import type { Destination, DestinationWithSecret, NotificationDelivery } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/field.tsx";
import { useNotifiedAction } from "../../parts/notices.ts";
import { Card, Page } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Badge } from "../../parts/values.tsx";
import { destinationAddress, useFilters } from "../../words/address.ts";
import { serviceNow, useNow } from "../../words/clock.ts";
import { Actions } from "./actions.tsx";
import { ChangeForm } from "./change-form.tsx";
import { Deliveries } from "./deliveries.tsx";
import { isUnderWay, outcomeOf, outcomes } from "./delivery-words.ts";
import { DestinationFacts, SecretCard, TestResult } from "./destination-cards.tsx";
import { stateOf } from "./destination-words.ts";
import { takeSecret } from "./new-secret.ts";
import { API, LIST, useDestinations } from "./use-destinations.ts";

const PAGE = 50;
/** While deliveries of one status are looked for; the API answers at most this many at once. */
const LARGE_PAGE = 1_000;
const REFRESH_MS = 10_000;
/** While a delivery is under way. */
const UNDER_WAY_MS = 1_000;

/** Redrawn each second, alone. */
const StateNote = ({ destination }: { destination: Destination }) => {
  const { tone, name, text } = stateOf(destination, useNow());
  return (
    <p class="notifications-state">
      <Badge tone={tone}>{name}</Badge> {text}
    </p>
  );
};

type ShownProps = { destination: Destination; onChanged: (destination: DestinationWithSecret) => void };

const Shown = ({ destination, onChanged }: ShownProps) => {
  const { id, status } = destination;
  const { filters, set } = useFilters();
  const [secret, setSecret] = useState(() => takeSecret(id));
  const [tested, setTested] = useState<NotificationDelivery>();
  const outcome = outcomeOf(filters.status);
  const list = useLiveList<NotificationDelivery>(
    `deliveries ${id}`,
    (after, signal) => {
      const limit = after.cursor !== undefined && outcome !== "" ? LARGE_PAGE : PAGE;
      const params = { path: { id }, query: { limit, ...after } };
      return page(api.GET(`${API}/{id}/deliveries`, { params, signal }));
    },
    { everyMs: REFRESH_MS, isOpen: (delivery) => isUnderWay(delivery, serviceNow()), openMs: UNDER_WAY_MS },
  );
  const test = useNotifiedAction("The test was not sent.", async (_: undefined, key) => {
    const delivery = await answer(api.POST(`${API}/{id}/test`, { params: { path: { id }, ...once(key) } }));
    setTested(delivery);
    list.put(delivery);
  });
  const isChanging = filters.change === "open";
  const changed = (next: DestinationWithSecret): void => {
    const { secret: created, ...rest } = next;
    if (created !== undefined) setSecret(created);
    onChanged(rest);
  };
  if (isChanging)
    return (
      <ChangeForm
        destination={destination}
        onChanged={changed}
        onClose={() => set({ change: undefined }, { replace: true })}
      />
    );
  const latest = tested && (list.value?.find((delivery) => delivery.id === tested.id) ?? tested);
  return (
    <>
      <StateNote destination={destination} />
      {secret !== undefined && <SecretCard secret={secret} oldUntil={destination.oldSecretValidUntil} />}
      <div class="actions notifications-actions">
        {status === "active" && (
          <Button kind="main" isRunning={test.isRunning} onClick={() => void test.run(undefined)}>
            {test.isRunning ? "Sending …" : "Send a test"}
          </Button>
        )}
        <Button onClick={() => set({ change: "open" })}>Change</Button>
        <Actions destination={destination} onChanged={changed} />
      </div>
      {latest !== undefined && <TestResult delivery={latest} />}
      <DestinationFacts destination={destination} deliveries={list.value ?? []} />
      <Card title="Deliveries">
        <div class="filters">
          <Choice label="Status" value={outcome} options={outcomes} onChoose={(chosen) => set({ status: chosen })} />
        </div>
        <SavedViews path={destinationAddress(id)} without={["change"]} />
        <Deliveries list={list} outcome={outcome} mayRetry={status === "active"} />
      </Card>
    </>
  );
};

export const View = () => {
  const { id = "" } = useRoute().params;
  const destinations = useDestinations();
  const found = destinations.value?.find((destination) => destination.id === id);
  return (
    <Page title={found?.name ?? "Destination"} lead={<a href={LIST}>All destinations</a>}>
      <Loaded
        of={destinations}
        what="the destination"
        isEmpty={() => found === undefined}
        empty={
          <Empty title="There is no such destination">
            <p>It may have been deleted. Or the address is mistyped.</p>
          </Empty>
        }
      >
        {(items) =>
          found && (
            <Shown
              key={id}
              destination={found}
              onChanged={(changed) => {
                destinations.show(items.map((one) => (one.id === id ? changed : one)));
                destinations.reload();
              }}
            />
          )
        }
      </Loaded>
    </Page>
  );
};
