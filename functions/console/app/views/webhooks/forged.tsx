/** Deliveries whose signature does not verify. They are not stored; security events report them. */
import { useMay } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { usePagedList } from "../../api/paged-list.ts";
import type { SecurityEvent } from "../../api/types.ts";
import { Empty, NotAllowed, Pages } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, RelativeTime } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { plural } from "../../words/format.ts";

const PAGE = 50;

/** In a flood, one event stands for many deliveries. */
const failuresOf = ({ metadata }: SecurityEvent): number => {
  const { failures } = (metadata ?? {}) as { failures?: unknown };
  return typeof failures === "number" ? failures : 1;
};

const columns: readonly Column<SecurityEvent>[] = [
  { head: "Status", cell: () => <Badge tone="bad">Forged</Badge> },
  {
    head: "What",
    isHead: true,
    cell: (event) => (
      <>
        <a href={eventAddress(event.id)}>{plural(failuresOf(event), "delivery", "deliveries")} refused</a>
        {event.errorMessage !== undefined && <p class="quiet">{event.errorMessage}</p>}
      </>
    ),
  },
  { head: "Address", cell: ({ ipAddress }) => ipAddress !== undefined && <code>{ipAddress}</code> },
  { head: "When", cell: ({ timestamp }) => <RelativeTime at={timestamp} /> },
];

const ForgedList = () => {
  const list = usePagedList<SecurityEvent>("forged webhooks", async (after, signal) => {
    const query = { eventType: "AUTHENTICATION_FAILURE", source: "webhook", limit: PAGE, ...after } as const;
    const { items, next } = await page(api.GET("/api/integrations/provider/security", { params: { query }, signal }));
    return { items: items.events, next };
  });
  return (
    <Pages
      of={list}
      what="forged deliveries"
      empty={
        <Empty title="No forged delivery">
          <p>
            A delivery whose signature does not verify is refused, and reported here within a minute. After a secret was
            rolled at the provider and not here, genuine deliveries look forged, too.
          </p>
        </Empty>
      }
    >
      {(events) => (
        <>
          <p class="quiet">
            Their signature did not verify, so they were refused and are not stored. If many arrive since a secret was
            rolled at the provider, enter the new secret in the set-up.
          </p>
          <Table
            label="Forged deliveries"
            class="rows webhooks-list"
            rows={events}
            keyOf={({ id }) => id}
            columns={columns}
          />
        </>
      )}
    </Pages>
  );
};

export const Forged = () => (useMay("security:read") ? <ForgedList /> : <NotAllowed needs="security:read" />);
