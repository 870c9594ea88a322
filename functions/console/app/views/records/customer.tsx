/** A customer with the customer's totals, invoices, subscriptions and payments, as far as the role may read them. */
import { useRoute } from "preact-iso/router";
import { useMayRead } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { Button } from "../../parts/button.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { useFilters } from "../../words/address.ts";
import { CustomerTotals } from "./customer-totals.tsx";
import { NotReadable, RecordCard, useRecord } from "./one-record.tsx";
import { nameOf } from "./record-words.ts";
import { RelatedCard } from "./related.tsx";

/** Of these invoices the totals are made. */
const COUNTED = 200;

/** The invoices, with those that are not paid yet at one click. */
const InvoicesCard = ({ of }: { of: { customerId: string } }) => {
  const { filters, set } = useFilters();
  const mayRead = useMayRead("invoices");
  const isOpenOnly = filters.invoices === "open";
  return (
    <RelatedCard
      type="invoices"
      of={of}
      what="customer"
      status={isOpenOnly ? "open" : undefined}
      actions={
        mayRead && (
          <Button aria-pressed={isOpenOnly} onClick={() => set({ invoices: isOpenOnly ? undefined : "open" })}>
            Open only
          </Button>
        )
      }
    />
  );
};

const AllOfCustomer = ({ id }: { id: string }) => {
  const of = { customerId: id };
  return (
    <>
      <InvoicesCard of={of} />
      <RelatedCard type="subscriptions" of={of} what="customer" />
      <RelatedCard type="payments" of={of} what="customer" />
    </>
  );
};

const Totals = ({ id }: { id: string }) => {
  const invoices = useResource(`totals of ${id}`, (signal) => {
    const params = { path: { type: "invoices" as const }, query: { customerId: id, limit: COUNTED } };
    return page(api.GET("/api/integrations/provider/records/{type}", { params, signal }));
  });
  return <CustomerTotals of={invoices} />;
};

const lead = <a href="/console/records/customers">All customers</a>;

const ReadableCustomer = ({ id }: { id: string }) => {
  const customer = useRecord("customers", id);
  const mayReadInvoices = useMayRead("invoices");
  const name = (customer.value && nameOf(customer.value)) ?? id;
  return (
    <Page title={`Customer ${name}`} lead={lead}>
      <RecordCard type="customers" id={id} of={customer} />
      {customer.value !== null && mayReadInvoices && <Totals id={id} />}
      {customer.value !== null && <AllOfCustomer id={id} />}
    </Page>
  );
};

export const View = () => {
  const { id = "" } = useRoute().params;
  return useMayRead("customers") ? (
    <ReadableCustomer key={id} id={id} />
  ) : (
    <Page title="Customer" lead={lead}>
      <Card title="Customer">
        <NotReadable type="customers" />
      </Card>
      <AllOfCustomer key={id} id={id} />
    </Page>
  );
};
