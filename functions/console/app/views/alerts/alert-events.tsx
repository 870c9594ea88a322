/** The events that an alert rests on: the newest ones with what happened, and all of them as links. */
import { useState } from "preact/hooks";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/page.tsx";
import { Badge, DrillBadge, ShortTime } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { formatNumber, inWords, plural } from "../../words/format.ts";

/** Events to show. Each costs one request. */
const SHOWN = 5;

const AlertEvent = ({ id }: { id: string }) => {
  const path = "/api/integrations/provider/security/events/{id}";
  const event = useResource(`event ${id}`, (signal) => answer(api.GET(path, { params: { path: { id } }, signal })));
  const { value, problem, reload } = event;
  if (value === undefined) {
    const isMissing = problem?.status === 404;
    return (
      <li class="alerts-event">
        <a href={eventAddress(id)}>
          <code>{id}</code>
        </a>
        <span class="quiet">
          {problem === undefined
            ? "Loading …"
            : isMissing
              ? "This event has expired, or was erased."
              : `It could not be read. ${problem.message}`}
        </span>
        {problem !== undefined && !isMissing && (
          <Button kind="link" onClick={reload}>
            Try again
          </Button>
        )}
      </li>
    );
  }
  const { eventType, timestamp, userId, ipAddress, action, errorMessage, success } = value;
  const details = [errorMessage ?? (action && inWords(action)), userId && `user ${userId}`, ipAddress];
  return (
    <li class="alerts-event">
      <ShortTime at={timestamp} />
      <span>
        <a href={eventAddress(id)}>{inWords(eventType)}</a> <DrillBadge of={value} />{" "}
        {!success && <Badge tone="bad">Failed</Badge>}
        <span class="quiet">{details.filter(Boolean).join(" · ")}</span>
      </span>
    </li>
  );
};

type Props = { ids: readonly string[]; mostIds: number };

export const AlertEvents = ({ ids, mostIds }: Props) => {
  const [shown, setShown] = useState(SHOWN);
  const rest = ids.slice(shown);
  return (
    <Card
      title={ids.length === 0 ? "Events" : `Events (${formatNumber(ids.length)})`}
      note={
        ids.length === mostIds ? `The newest ${formatNumber(mostIds)}. Older ones are among the events.` : undefined
      }
    >
      {ids.length === 0 && <p class="quiet">This alert rests on no events of its own.</p>}
      <ul>
        {ids.slice(0, shown).map((id) => (
          <AlertEvent key={id} id={id} />
        ))}
      </ul>
      {rest.length > 0 && (
        <>
          <Button kind="link" onClick={() => setShown(shown + SHOWN)}>
            Show {Math.min(SHOWN, rest.length)} more
          </Button>
          {rest.length > SHOWN && (
            <details>
              <summary>{plural(rest.length, "older event")} by id</summary>
              <ul class="alerts-event-ids">
                {rest.map((id) => (
                  <li key={id}>
                    <a href={eventAddress(id)}>
                      <code>{id}</code>
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </Card>
  );
};
