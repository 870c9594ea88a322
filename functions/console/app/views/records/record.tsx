/** One record by its id; a payment with its refunds and disputes. */
import { useRoute } from "preact-iso/router";
import { useMayRead } from "../../access.ts";
import type { RecordType } from "../../api/types.ts";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { recordTypes, typeNames } from "../../words/record-types.ts";
import { View as CustomerView } from "./customer.tsx";
import { NotReadable, RecordCard, useRecord } from "./one-record.tsx";
import { nameOf } from "./record-words.ts";
import { RelatedCard } from "./related.tsx";

const OneRecord = ({ type, id }: { type: RecordType; id: string }) => {
  const record = useRecord(type, id);
  const { one } = typeNames[type];
  const name = (record.value && nameOf(record.value)) ?? id;
  return (
    <Page
      title={`${one} ${name}`}
      lead={<a href={`/console/records/${type}`}>All {typeNames[type].many.toLowerCase()}</a>}
    >
      <RecordCard type={type} id={id} of={record} />
      {type === "payments" && <RelatedCard type="refunds" of={{ paymentId: id }} what="payment" />}
      {type === "payments" && <RelatedCard type="disputes" of={{ paymentId: id }} what="payment" />}
    </Page>
  );
};

export const View = () => {
  const { type, id = "" } = useRoute().params;
  const known = recordTypes.find((one) => one === type);
  const mayRead = useMayRead(known ?? "customers");
  if (known === undefined)
    return (
      <Page title="Records">
        <Empty title="There is no such type of records">
          <a href="/console/records">Open Records</a>
        </Empty>
      </Page>
    );
  if (known === "customers") return <CustomerView />;
  if (!mayRead)
    return (
      <Page title={typeNames[known].one}>
        <NotReadable type={known} />
      </Page>
    );
  return <OneRecord key={`${known} ${id}`} type={known} id={id} />;
};
