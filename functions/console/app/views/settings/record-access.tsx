import type { RecordType, Settings } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { recordTypes, typeNames } from "../../words/record-types.ts";
import { restrictedRoles } from "./changes.ts";

type Access = Settings["recordAccess"];

const toggle = (types: readonly RecordType[], type: RecordType): RecordType[] =>
  types.includes(type) ? types.filter((one) => one !== type) : [...types, type];

export const RecordAccess = ({ access, onChange }: { access: Access; onChange: (access: Access) => void }) => (
  <Card title="Record access" note="Administrators and billing staff read all records. Choose what others may read.">
    <Table
      class="settings-access"
      rows={recordTypes}
      keyOf={(type) => type}
      columns={[
        { head: "Records", isHead: true, cell: (type) => typeNames[type].many },
        ...restrictedRoles.map(({ role, plural }) => ({
          head: plural,
          cell: (type: RecordType) => (
            <input
              type="checkbox"
              aria-label={`${plural} may read ${type}`}
              checked={access[role].includes(type)}
              onChange={() => onChange({ ...access, [role]: toggle(access[role], type) })}
            />
          ),
        })),
      ]}
    />
  </Card>
);
