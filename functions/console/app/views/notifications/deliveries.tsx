/** The deliveries to a destination with their tries, newest first. */
import { alertAddress } from "../../address.ts";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { LiveList } from "../../api/live-list.ts";
import { asProblem } from "../../api/problem.ts";
import type { DeliveryAttempt, NotificationDelivery } from "../../api/types.ts";
import { useNow } from "../../clock.ts";
import { formatNumber } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { notifyProblem } from "../../parts/notices.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { RelativeTime, ShortTime } from "../../parts/time.tsx";
import { attemptInWords, isSuccess, stateOf, typeInWords, whyGivenUp } from "./delivery-words.ts";
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
              {last === undefined ? "To be sent" : "Next try"} <RelativeTime at={notBefore} />
            </>
          ) : (
            "To be sent now"
          )}
        </p>
      )}
      {earlier.length > 0 && (
        <details>
          <summary>{earlier.length === 1 ? "1 earlier try" : `${formatNumber(earlier.length)} earlier tries`}</summary>
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
  const retry = useAction(async (id: string, key) => {
    try {
      const params = { path: { id }, header: { "Idempotency-Key": key } };
      list.put(await answer(api.POST(`${API}/deliveries/{id}/retry`, { params })));
    } catch (error) {
      notifyProblem("The delivery was not sent again.", asProblem(error));
      throw error;
    } finally {
      list.reload();
    }
  });
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

type RowProps = { delivery: NotificationDelivery; list: DeliveryList; mayRetry: boolean };

const Row = ({ delivery, list, mayRetry }: RowProps) => {
  const { tone, name } = stateOf(delivery);
  const { id, alertId, createdAt, requestedBy, status } = delivery;
  return (
    <tr>
      <td data-head="Status">
        <div>
          <Badge tone={tone}>{name}</Badge>
        </div>
      </td>
      <th scope="row">
        {alertId === undefined ? typeInWords(delivery) : <a href={alertAddress(alertId)}>{typeInWords(delivery)}</a>}
        {requestedBy !== undefined && <p class="quiet">requested by {requestedBy}</p>}
        <p class="quiet notifications-id">
          <code>{id.slice(id.indexOf(".") + 1)}</code>
        </p>
      </th>
      <td data-head="Last try">
        <Attempts delivery={delivery} />
      </td>
      <td data-head="Created">
        <RelativeTime at={createdAt} />
      </td>
      <td>{status === "failed" && mayRetry && <Retry delivery={delivery} list={list} />}</td>
    </tr>
  );
};

export const Deliveries = ({ list, mayRetry }: { list: DeliveryList; mayRetry: boolean }) => (
  <Loaded
    of={list}
    what="deliveries"
    isEmpty={(items) => items.length === 0 && !list.older.hasMore}
    empty={
      <Empty title="Nothing was sent yet">
        <p>
          Each notification to this destination appears here as soon as it is made, with all tries to send it, and stays
          for 30 days. Send a test to see one.
        </p>
      </Empty>
    }
  >
    {(items) => (
      <>
        <table class="rows notifications-list notifications-log" aria-label="Deliveries">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Notification</th>
              <th scope="col">Last try</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span class="hidden-text">Send again</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} list={list} mayRetry={mayRetry} />
            ))}
          </tbody>
        </table>
        <LoadMore list={list.older} what="deliveries" />
      </>
    )}
  </Loaded>
);
