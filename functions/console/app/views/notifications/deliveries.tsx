/** The deliveries to a destination with their tries, newest first. */

import { answer, api, once } from "../../api/client.ts";
import type { LiveList } from "../../api/live-list.ts";
import type { DeliveryAttempt, NotificationDelivery } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { useItemAction } from "../../parts/notices.ts";
import { Empty, LiveItems } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Badge, RelativeTime, ShortTime } from "../../parts/values.tsx";
import { alertAddress } from "../../words/address.ts";
import { useNow } from "../../words/clock.ts";
import { plural } from "../../words/format.ts";
import { attemptInWords, isSuccess, type Outcome, stateOf, typeInWords, whyGivenUp } from "./delivery-words.ts";
import { API } from "./use-destinations.ts";

export type DeliveryList = LiveList<NotificationDelivery>;

const Attempt = ({ attempt }: { attempt: DeliveryAttempt }) => (
  <>
    <span class={isSuccess(attempt) ? undefined : "notifications-bad"}>{attemptInWords(attempt)}</span>
    {attempt.answer !== undefined && attempt.answer !== "" && (
      <p class="notifications-answer">
        <code>{attempt.answer}</code>
      </p>
    )}
  </>
);

const Attempts = ({ delivery: { attempts, status, error, notBefore } }: { delivery: NotificationDelivery }) => {
  const now = useNow();
  const last = attempts.at(-1);
  const earlier = attempts.slice(0, -1).reverse();
  return (
    <div>
      {last !== undefined && <Attempt attempt={last} />}
      {status === "failed" && error !== undefined && <p class="notifications-bad">{whyGivenUp(error)}</p>}
      {status === "pending" && (
        <p class="quiet">
          {notBefore !== undefined && notBefore > now ? (
            <>
              {last === undefined ? "To be sent" : "Next try"} <RelativeTime at={notBefore} isDue />
            </>
          ) : (
            "To be sent now"
          )}
        </p>
      )}
      {earlier.length > 0 && (
        <details>
          <summary>{plural(earlier.length, "earlier try", "earlier tries")}</summary>
          <ol class="notifications-attempts">
            {earlier.map((attempt) => (
              <li key={attempt.at}>
                <span class="quiet">
                  <ShortTime at={attempt.at} />
                </span>{" "}
                <Attempt attempt={attempt} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
};

const Retry = ({ delivery, list }: { delivery: NotificationDelivery; list: DeliveryList }) => {
  const retry = useItemAction("The delivery was not sent again.", list, (id, key) =>
    answer(api.POST(`${API}/deliveries/{id}/retry`, { params: { path: { id }, ...once(key) } })),
  );
  return (
    <Button
      isRunning={retry.isRunning}
      aria-label={`Send again: ${typeInWords(delivery)}`}
      onClick={() => void retry.run(delivery.id)}
    >
      Send again
    </Button>
  );
};

const Notification = ({ delivery }: { delivery: NotificationDelivery }) => {
  const { id, alertId, requestedBy } = delivery;
  return (
    <>
      {alertId === undefined ? typeInWords(delivery) : <a href={alertAddress(alertId)}>{typeInWords(delivery)}</a>}
      {requestedBy !== undefined && <p class="quiet">requested by {requestedBy}</p>}
      <p class="quiet notifications-id">
        <code>{id.slice(id.indexOf(".") + 1)}</code>
      </p>
    </>
  );
};

const Status = ({ delivery }: { delivery: NotificationDelivery }) => {
  const { tone, name } = stateOf(delivery);
  return (
    <div>
      <Badge tone={tone}>{name}</Badge>
    </div>
  );
};

const NothingSent = () => (
  <Empty title="Nothing was sent yet">
    <p>
      Each notification to this destination appears here as soon as it is made, with all tries to send it, and stays for
      30 days. Send a test to see one.
    </p>
  </Empty>
);

type Props = { list: DeliveryList; outcome: Outcome; mayRetry: boolean };

export const Deliveries = ({ list, outcome, mayRetry }: Props) => (
  <LiveItems
    of={{ ...list, value: list.value?.filter(({ status }) => outcome === "" || status === outcome) }}
    what="deliveries"
    empty={outcome === "" ? <NothingSent /> : <Empty title="No delivery of the last 30 days has this status" />}
  >
    {(items) => (
      <Table
        label="Deliveries"
        class="rows notifications-list notifications-log"
        rows={items}
        keyOf={({ id }) => id}
        columns={[
          { head: "Status", cell: (delivery) => <Status delivery={delivery} /> },
          { head: "Notification", isHead: true, cell: (delivery) => <Notification delivery={delivery} /> },
          { head: "Last try", cell: (delivery) => <Attempts delivery={delivery} /> },
          { head: "Created", cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
          {
            head: "Send again",
            isHidden: true,
            cell: (delivery) => delivery.status === "failed" && mayRetry && <Retry delivery={delivery} list={list} />,
          },
        ]}
      />
    )}
  </LiveItems>
);
