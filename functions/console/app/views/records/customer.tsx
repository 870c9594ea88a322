/** A customer with the customer's subscriptions, invoices and payments, as far as the role may read them. */
import { useRoute } from "preact-iso/router";
import { useMayRead } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { RecordType } from "../../api/types.ts";
import { Card, Page } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { addressOf } from "../../words/address.ts";
import { typeNames } from "../../words/record-types.ts";
import { NotReadable, RecordCard, useRecord } from "./one-record.tsx";
import { RecordTable } from "./record-table.tsx";
import { nameOf } from "./record-words.ts";

const SHOWN = 20;

const Related = ({ type, customerId }: { type: RecordType; customerId: string }) => {
  const many = typeNames[type].many.toLowerCase();
  const records = useResource(`records of ${customerId} ${type}`, (signal) =>
    page(
      api.GET("/api/integrations/provider/records/{type}", {
        params: { path: { type }, query: { customerId, limit: SHOWN } },
        signal,
      }),
    ),
  );
  return (
    <Loaded of={records} what={many}>
      {({ items, next }) => (
        <>
          {items.length > 0 && <RecordTable type={type} records={items} withCustomer={false} />}
          {items.length === 0 && next === undefined && <p class="quiet">No {many}.</p>}
          {next !== undefined && (
            <p>
              <a href={addressOf(`/console/records/${type}`, { customerId })}>All {many} of this customer</a>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
};

const RelatedCard = ({ type, customerId }: { type: RecordType; customerId: string }) => (
  <Card title={typeNames[type].many}>
    {useMayRead(type) ? <Related type={type} customerId={customerId} /> : <NotReadable type={type} />}
  </Card>
);

const related = ["subscriptions", "invoices", "payments"] as const;

const AllOfCustomer = ({ id }: { id: string }) => (
  <>
    {related.map((type) => (
      <RelatedCard key={type} type={type} customerId={id} />
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
