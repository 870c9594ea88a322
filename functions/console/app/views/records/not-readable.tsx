import { useCaller } from "../../access.ts";
import type { RecordType } from "../../api/types.ts";
import { typeNames } from "../../record-types.ts";

/** In place of records that the role may not read. */
export const NotReadable = ({ type }: { type: RecordType }) => {
  const { role, organizationId } = useCaller();
  return (
    <div class="state">
      <p class="state-title">Your role does not allow this</p>
      <p>
        The role <b>{role}</b> in <b>{organizationId}</b> may not read {typeNames[type].many.toLowerCase()}. An
        administrator can allow it in the settings, under record access.
      </p>
    </div>
  );
};
