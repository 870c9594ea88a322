import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import { Table } from "../../parts/table.tsx";
import { Badge, RelativeTime, Time } from "../../parts/values.tsx";
import { recordAddress, typeNames } from "../../words/record-types.ts";
import { columns } from "./columns.tsx";

type Props = {
  type: RecordType;
  records: readonly ProviderRecord[];
  /** Left out where all records are of one customer. */
  withCustomer?: boolean;
  /** The rows are about to be replaced. */
  isBusy?: boolean;
};

export const RecordTable = ({ type, records, withCustomer = true, isBusy = false }: Props) => (
  <Table
    label={typeNames[type].many}
    class="rows records-table"
    isBusy={isBusy}
    rows={records}
    keyOf={({ id }) => id}
    rowClass={({ deleted }) => (deleted ? "records-deleted" : undefined)}
    columns={[
      {
        head: typeNames[type].one,
        isHead: true,
        cell: ({ id, deleted }) => (
          <>
            <a href={recordAddress(type, id)}>
              <code>{id}</code>
            </a>{" "}
            {deleted && <Badge tone="quiet">Deleted</Badge>}
          </>
        ),
      },
      ...columns[type].filter(({ head }) => withCustomer || head !== "Customer"),
      { head: "Created", cell: ({ createdAt }) => createdAt !== 0 && <Time at={createdAt} /> },
      { head: "Changed here", cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
    ]}
  />
);
