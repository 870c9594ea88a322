import { Card } from "../../parts/page.tsx";

export const SiemFeed = ({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) => (
  <Card
    title="Feed for a SIEM"
    note="Each hour's security events go to the deployment's bucket, if it has one, in the format OCSF."
  >
    <label>
      <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} /> Write the events of each hour
    </label>
  </Card>
);
