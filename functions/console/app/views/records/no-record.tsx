import type { RecordType } from "../../api/types.ts";
import { Empty } from "../../parts/states.tsx";
import { typeNames } from "../../record-types.ts";

export const NoRecord = ({ type, id }: { type: RecordType; id: string }) => (
  <Empty title={`There is no such ${typeNames[type].one.toLowerCase()} here`}>
    <p>
      <code>{id}</code> is not stored. It may come with the next sync, or it was erased.{" "}
      <a href={`/console/records/${type}`}>Open {typeNames[type].many}</a>
    </p>
  </Empty>
);
