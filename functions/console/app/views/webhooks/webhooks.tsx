import type { ComponentChildren } from "preact";
import { api, page } from "../../api/client.ts";
import { useLiveList } from "../../api/live-list.ts";
import { useConnection } from "../../api/reads.ts";
import type { WebhookDelivery } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Page, Tabs } from "../../parts/page.tsx";
import { SavedViews } from "../../parts/saved-views.tsx";
import { addressOf, useFilters } from "../../words/address.ts";
import { Deliveries } from "./deliveries.tsx";
import { isStatus, type Status, statuses } from "./delivery-words.ts";
import { Forged } from "./forged.tsx";
import { Setup } from "./setup.tsx";

const PATH = "/console/webhooks";
const PAGE = 50;
const REFRESH_MS = 5_000;
/** A list of one status costs the service more reads. */
const FILTERED_REFRESH_MS = 30_000;
/** While a delivery waits. */
const WAITING_MS = 2_000;

const DeliveryList = ({ status, tabs }: { status: Status | undefined; tabs: ComponentChildren }) => {
  const list = useLiveList<WebhookDelivery>(
    `webhooks ${status ?? "all"}`,
    (after, signal) => {
      const query = { limit: PAGE, ...(status !== undefined && { status }), ...after };
      return page(api.GET("/api/integrations/provider/webhooks", { params: { query }, signal }));
    },
    {
      everyMs: status === undefined ? REFRESH_MS : FILTERED_REFRESH_MS,
      isOpen: (delivery) => delivery.status === "waiting",
      openMs: status === undefined ? WAITING_MS : REFRESH_MS,
    },
  );
  return (
    <>
      <div class="webhooks-bar">
        {tabs}
        <Button onClick={list.reload}>Refresh</Button>
      </div>
      <Deliveries list={list} status={status} />
    </>
  );
};

export const View = () => {
  const { filters, set } = useFilters();
  const connection = useConnection();
  const isOpen = filters.setup === "open";
  const isForged = filters.status === "forged";
  const status = isStatus(filters.status) ? filters.status : undefined;
  const chosen = [
    { name: "All", status: undefined },
    ...Object.entries(statuses).map(([key, { name }]) => ({ name, status: key })),
    { name: "Forged", status: "forged" },
  ].map((tab) => ({
    name: tab.name,
    href: addressOf(PATH, { ...filters, status: tab.status }),
    isCurrent: isForged ? tab.status === "forged" : tab.status === status,
  }));
  const tabs = <Tabs label="Status" tabs={chosen} />;
  return (
    <Page
      title="Webhooks"
      lead="What the provider reported, and what became of it."
      actions={
        <Button aria-expanded={isOpen} onClick={() => set({ setup: isOpen ? undefined : "open" }, { replace: true })}>
          Set-up
        </Button>
      }
    >
      {isOpen && <Setup connection={connection} />}
      <SavedViews path={PATH} without={["setup"]} />
      {isForged ? (
        <>
          {tabs}
          <Forged />
        </>
      ) : (
        <DeliveryList key={status} status={status} tabs={tabs} />
      )}
    </Page>
  );
};
