/** A customer with the customer's subscriptions, invoices and payments, as far as the role may read them. */
import { useRoute } from "preact-iso/router";
import { useMayRead } from "../../access.ts";
import { Card, Page } from "../../parts/page.tsx";
import { NotReadable, RecordCard, useRecord } from "./one-record.tsx";
import { nameOf } from "./record-words.ts";
import { RelatedCard } from "./related.tsx";

const related = ["subscriptions", "invoices", "payments"] as const;

const AllOfCustomer = ({ id }: { id: string }) => (
  <>
    {related.map((type) => (
      <RelatedCard key={type} type={type} of={{ customerId: id }} what="customer" />
    ))}
  </>
);

const lead = <a href="/console/records/customers">All customers</a>;

const ReadableCustomer = ({ id }: { id: string }) => {
  const customer = useRecord("customers", id);
  const name = (customer.value && nameOf(customer.value)) ?? id;
  return (
    <Page title={`Customer ${name}`} lead={lead}>
      <RecordCard type="customers" id={id} of={customer} />
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
