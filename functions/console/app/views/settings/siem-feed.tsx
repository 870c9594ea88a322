import { useCaller } from "../../access.ts";
import { Card } from "../../parts/page.tsx";

type Props = { isOn: boolean; onChange: (isOn: boolean) => void };

/** Left out where the deployment has no feed, unless it is still switched on. */
export const SiemFeed = ({ isOn, onChange }: Props) => {
  const hasFeed = useCaller().deployment.siemFeed;
  if (!hasFeed && !isOn) return null;
  return (
    <Card
      title="Feed for a SIEM"
      note="The security events of each hour are written to a bucket of this deployment, in the format OCSF, within the hour after. Your SIEM reads them there."
    >
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={() => onChange(!isOn)} />
        Write our events
      </label>
      {!hasFeed && <p class="quiet">This deployment has no bucket for the feed, so nothing is written.</p>}
    </Card>
  );
};
