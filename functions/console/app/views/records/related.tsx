/** The records of a customer or of a payment, as far as the role may read them. */
import type { ComponentChildren } from "preact";
import { useMayRead } from "../../access.ts";
import { api, page } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { RecordType } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { addressOf } from "../../words/address.ts";
import { typeNames } from "../../words/record-types.ts";
import { NotReadable } from "./one-record.tsx";
import { RecordTable } from "./record-table.tsx";

const SHOWN = 20;

type Props = {
  type: RecordType;
  of: { customerId: string } | { paymentId: string };
  /** What the records belong to, in a word. */
  what: string;
  /** Only those with this status. */
  status?: string | undefined;
  /** Beside the heading. */
  actions?: ComponentChildren;
};

const Related = ({ type, of, what, status }: Props) => {
  const many = typeNames[type].many.toLowerCase();
  const filters = { ...of, ...(status !== undefined && { status }) };
  const records = useResource(`records of ${JSON.stringify(filters)} ${type}`, (signal) =>
    page(
      api.GET("/api/integrations/provider/records/{type}", {
        params: { path: { type }, query: { ...filters, limit: SHOWN } },
        signal,
      }),
    ),
  );
  return (
    <Loaded of={records} what={many}>
      {({ items, next }) => (
        <>
          {items.length > 0 && <RecordTable type={type} records={items} withCustomer={false} />}
          {items.length === 0 && next === undefined && (
            <p class="quiet">
              No {status === undefined ? "" : `${status} `}
              {many}.
            </p>
          )}
          {next !== undefined && (
            <p>
              <a href={addressOf(`/console/records/${type}`, filters)}>
                All {many} of this {what}
              </a>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
};

export const RelatedCard = (props: Props) => (
  <Card title={typeNames[props.type].many} actions={props.actions}>
    {useMayRead(props.type) ? <Related {...props} /> : <NotReadable type={props.type} />}
  </Card>
);
