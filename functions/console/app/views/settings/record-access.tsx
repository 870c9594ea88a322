import type { RecordType, Settings } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { recordTypes } from "../../record-types.ts";
import { restrictedRoles } from "./changes.ts";

type Access = Settings["recordAccess"];

const toggle = (types: readonly RecordType[], type: RecordType): RecordType[] =>
  types.includes(type) ? types.filter((one) => one !== type) : [...types, type];

export const RecordAccess = ({ access, onChange }: { access: Access; onChange: (access: Access) => void }) => (
  <Card title="Record access" note="Administrators and billing staff read all records. Choose what others may read.">
    <table class="settings-access">
      <thead>
        <tr>
          <th scope="col">Records</th>
          {restrictedRoles.map(({ role, plural }) => (
            <th key={role} scope="col">
              {plural}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {recordTypes.map((type) => (
          <tr key={type}>
            <th scope="row">{type.charAt(0).toUpperCase() + type.slice(1)}</th>
            {restrictedRoles.map(({ role, plural }) => (
              <td key={role}>
                <input
                  type="checkbox"
                  aria-label={`${plural} may read ${type}`}
                  checked={access[role].includes(type)}
                  onChange={() => onChange({ ...access, [role]: toggle(access[role], type) })}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Card>
);
