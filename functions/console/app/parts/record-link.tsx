import { useMayRead } from "../access.ts";
import type { RecordType } from "../api/types.ts";
import { recordAddress } from "../record-types.ts";

/** A record's id, as a link if the user may read the record. */
export const RecordLink = ({ type, id }: { type: RecordType; id: string }) =>
  useMayRead(type) ? (
    <a href={recordAddress(type, id)}>
      <code>{id}</code>
    </a>
  ) : (
    <code>{id}</code>
  );
