/** One subscription, invoice or payment by its id. */
import { useRoute } from "preact-iso/router";
import { useMayRead } from "../../access.ts";
import type { RecordType } from "../../api/types.ts";
import { Card, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { recordTypes, typeNames } from "../../record-types.ts";
import { CustomerView } from "./customer.tsx";
import { NoRecord } from "./no-record.tsx";
import { NotReadable } from "./not-readable.tsx";
import { RecordFacts } from "./record-facts.tsx";
import { nameOf } from "./record-words.ts";
import { useRecord } from "./use-record.ts";

const OneRecord = ({ type, id }: { type: RecordType; id: string }) => {
  const record = useRecord(type, id);
  const { one } = typeNames[type];
  const name = (record.value && nameOf(record.value)) ?? id;
  return (
    <Page
      title={`${one} ${name}`}
      lead={<a href={`/console/records/${type}`}>All {typeNames[type].many.toLowerCase()}</a>}
    >
      <Loaded
        of={record}
        what={`the ${one.toLowerCase()}`}
        isEmpty={(value) => value === null}
        empty={<NoRecord type={type} id={id} />}
      >
        {(value) =>
          value !== null && (
            <Card title={one}>
              <RecordFacts record={value} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
};

export const RecordView = () => {
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
