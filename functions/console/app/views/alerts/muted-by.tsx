/** The mutes that act on an alert: why it is not sent, and until when. */
import { Card } from "../../parts/page.tsx";
import { Time } from "../../parts/values.tsx";
import { muteAddress } from "../mutes/mute-words.ts";
import { useMute } from "../mutes/use-mutes.ts";

/** More are links only. */
const MOST_READ = 5;

const OneMute = ({ id }: { id: string }) => {
  const { value } = useMute(id);
  return (
    <li>
      <a href={muteAddress(id)}>{value?.reason ?? "A mute"}</a>
      {value !== undefined && (
        <span class="quiet">
          {" "}
          by {value.createdBy}, until <Time at={value.until} />
        </span>
      )}
    </li>
  );
};

export const MutedBy = ({ ids }: { ids: readonly string[] }) => (
  <Card
    title="Muted"
    note="Its notifications wait until the mute ends. If the alert is still not resolved then, it is sent."
  >
    <ul class="bullets">
      {ids.slice(0, MOST_READ).map((id) => (
        <OneMute key={id} id={id} />
      ))}
      {ids.slice(MOST_READ).map((id) => (
        <li key={id}>
          <a href={muteAddress(id)}>Another mute</a>
        </li>
      ))}
    </ul>
  </Card>
);
