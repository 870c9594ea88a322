/** Records as results of a search. Pure. */
import { type RecordType, resourceTypeOf } from "../records/record.ts";
import type { SyncedRecord } from "../records/synced-record.ts";
import type { SearchResult } from "./search-result.ts";

const RECORDS_PATH = "/api/integrations/provider/records";

const nameOf = (record: SyncedRecord): string | null => {
  if ("email" in record) return record.name ?? record.email;
  return "number" in record ? record.number : null;
};

/** Such as "Invoice INV-7, open"; a customer's title is the name, or else the e-mail address. */
const titleOf = (record: SyncedRecord, type: RecordType): string => {
  const kind = resourceTypeOf[type];
  const label = kind.charAt(0).toUpperCase() + kind.slice(1);
  if (record.deleted) return `${label} ${record.id}, deleted`;
  const name = nameOf(record) ?? record.id;
  if (record.type === "customers") return name;
  const status = "status" in record ? record.status : null;
  return status === null ? `${label} ${name}` : `${label} ${name}, ${status}`;
};

export const foundRecord = (record: SyncedRecord): SearchResult => {
  const { id, type } = record;
  return {
    kind: resourceTypeOf[type],
    id,
    title: titleOf(record, type),
    href: `${RECORDS_PATH}/${type}?id=${encodeURIComponent(id)}`,
  };
};
