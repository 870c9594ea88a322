import type { Record as ProviderRecord, RecordType } from "../../api/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { RelativeTime, Time } from "../../parts/time.tsx";
import { recordAddress, typeNames } from "../../record-types.ts";
import { columns } from "./columns.tsx";

type Props = {
  type: RecordType;
  records: readonly ProviderRecord[];
  /** Left out where all records are of one customer. */
  withCustomer?: boolean;
  /** The rows are about to be replaced. */
  isBusy?: boolean;
};

export const RecordTable = ({ type, records, withCustomer = true, isBusy = false }: Props) => {
  const shown = columns[type].filter(({ head }) => withCustomer || head !== "Customer");
  return (
    <table class="rows records-table" aria-label={typeNames[type].many} aria-busy={isBusy}>
      <thead>
        <tr>
          <th scope="col">{typeNames[type].one}</th>
          {shown.map(({ head, isNumber }) => (
            <th key={head} scope="col" class={isNumber ? "number" : undefined}>
              {head}
            </th>
          ))}
          <th scope="col">Created</th>
          <th scope="col">Changed here</th>
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr key={record.id} class={record.deleted ? "records-deleted" : undefined}>
            <th scope="row">
              <a href={recordAddress(type, record.id)}>
                <code>{record.id}</code>
              </a>{" "}
              {record.deleted && <Badge tone="quiet">Deleted</Badge>}
            </th>
            {shown.map(({ head, isNumber, cell }) => (
              <td key={head} data-head={head} class={isNumber ? "number" : undefined}>
                {cell(record)}
              </td>
            ))}
            <td data-head="Created">{record.createdAt !== 0 && <Time at={record.createdAt} />}</td>
            <td data-head="Changed here">
              <RelativeTime at={record.updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
