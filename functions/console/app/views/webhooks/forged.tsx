/** Deliveries whose signature does not verify. They are not stored; security events report them. */
import { useMay } from "../../access.ts";
import { eventAddress } from "../../address.ts";
import { api, page } from "../../api/client.ts";
import { usePagedList } from "../../api/paged-list.ts";
import type { SecurityEvent } from "../../api/types.ts";
import { formatNumber } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Empty, Loading, NotAllowed, ProblemNote } from "../../parts/states.tsx";
import { RelativeTime } from "../../parts/time.tsx";

const PAGE = 50;

/** In a flood, one event stands for many deliveries. */
const failuresOf = ({ metadata }: SecurityEvent): number => {
  const { failures } = (metadata ?? {}) as { failures?: unknown };
  return typeof failures === "number" ? failures : 1;
};

const ForgedList = () => {
  const list = usePagedList<SecurityEvent>("forged webhooks", async (cursor, signal) => {
    const query = { eventType: "AUTHENTICATION_FAILURE", source: "webhook", limit: PAGE } as const;
    const { items, next } = await page(
      api.GET("/api/integrations/provider/security", {
        params: { query: { ...query, ...(cursor !== undefined && { cursor }) } },
        signal,
      }),
    );
    return { items: items.events, next };
  });
  const events = list.pages.flat();
  if (events.length === 0) {
    if (list.problem !== undefined) return <ProblemNote problem={list.problem} onRetry={list.reload} />;
    if (list.isLoading) return <Loading what="forged deliveries" />;
    if (!list.hasMore)
      return (
        <Empty title="No forged delivery">
          <p>
            A delivery whose signature does not verify is refused, and reported here within a minute. After a secret was
            rolled at the provider and not here, genuine deliveries look forged, too.
          </p>
        </Empty>
      );
  }
  return (
    <>
      <p class="quiet">
        Their signature did not verify, so they were refused and are not stored. If many arrive since a secret was
        rolled at the provider, enter the new secret in the set-up.
      </p>
      <table class="rows webhooks-list" aria-label="Forged deliveries">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">What</th>
            <th scope="col">Address</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td data-head="Status">
                <Badge tone="bad">Forged</Badge>
              </td>
              <th scope="row">
                <a href={eventAddress(event.id)}>
                  {failuresOf(event) === 1
                    ? "1 delivery refused"
                    : `${formatNumber(failuresOf(event))} deliveries refused`}
                </a>
                {event.errorMessage !== undefined && <p class="quiet">{event.errorMessage}</p>}
              </th>
              <td data-head="Address">{event.ipAddress !== undefined && <code>{event.ipAddress}</code>}</td>
              <td data-head="When">
                <RelativeTime at={event.timestamp} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <LoadMore list={list} what="forged deliveries" />
    </>
  );
};

export const Forged = () => (useMay("security:read") ? <ForgedList /> : <NotAllowed needs="security:read" />);
