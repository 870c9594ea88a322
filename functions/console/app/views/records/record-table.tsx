import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import { Table } from "../../parts/table.tsx";
import { Badge, Day, Id, RecordLink, RelativeTime } from "../../parts/values.tsx";
import { typeNames } from "../../words/record-types.ts";
import { columns } from "./columns.tsx";
import { nameOf } from "./record-words.ts";

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
        cell: (record) => (
          <>
            <RecordLink type={type} id={record.id} name={record.deleted ? undefined : nameOf(record)} />{" "}
            {record.deleted && <Badge tone="quiet">Deleted</Badge>}
          </>
        ),
      },
      ...columns[type].filter(({ head }) => withCustomer || head !== "Customer"),
      { head: "Created", cell: ({ createdAt }) => createdAt !== 0 && <Day at={createdAt} /> },
      { head: "Changed here", isExtra: true, cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
      { head: "Id", isExtra: true, cell: ({ id }) => <Id of={id} /> },
    ]}
  />
);
