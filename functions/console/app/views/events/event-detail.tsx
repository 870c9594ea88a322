/** One event with all its fields, and the ways on from it. */
import { useLocation } from "preact-iso/router";
import { useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { eventTypes } from "../../api/event-types.ts";
import { useResource } from "../../api/resource.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Loading, ProblemNote } from "../../parts/states.tsx";
import { addressOf, curlOf } from "../../words/address.ts";
import { inWords } from "../../words/format.ts";
import { Metadata, What, When, Who } from "./event-facts.tsx";
import { markedAt, useMarkProcessed } from "./marked.ts";

const EVENT_PATH = "/api/integrations/provider/security/events/{id}";

export const EventDetail = ({ id, onBack }: { id: string; onBack: () => void }) => {
  const path = EVENT_PATH.replace("{id}", encodeURIComponent(id.toWellFormed()));
  const resource = useResource(`event ${id}`, (signal) =>
    answer(api.GET(EVENT_PATH, { params: { path: { id } }, signal })),
  );
  const mayMark = useMay("security:manage");
  const { route } = useLocation();
  const { isRunning, mark } = useMarkProcessed();
  const { value: event, problem, reload } = resource;
  const isMissing = problem?.status === 404;
  const processedAt = event?.processedAt ?? markedAt.value.get(id);
  return (
    <Page
      title={event === undefined ? "Event" : inWords(event.eventType)}
      lead={event && eventTypes[event.eventType]}
      actions={
        <>
          <Button onClick={onBack}>Back to the events</Button>
          {mayMark && event !== undefined && !event.processed && (
            <Button kind="main" isRunning={isRunning} disabled={processedAt !== undefined} onClick={() => mark([id])}>
              {processedAt === undefined ? "Mark as processed" : "Processed"}
            </Button>
          )}
          {mayMark && event !== undefined && event.alertId === undefined && (
            <Button onClick={() => route(addressOf("/console/alerts/raise", { events: id }))}>Raise an alert</Button>
          )}
          <CopyButton text={location.origin + location.pathname} what="The link to this event" label="Copy link" />
          <CopyButton text={curlOf(location.origin, path)} what="The request as a curl command" label="Copy as curl" />
        </>
      }
    >
      {isMissing ? (
        <Empty title="There is no such event">
          <p>It may have expired: events are kept for 90 days, unless the service is set up otherwise.</p>
        </Empty>
      ) : (
        problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />
      )}
      {event === undefined && problem === undefined && <Loading what="the event" />}
      {event !== undefined && !isMissing && (
        <div class="events-detail">
          <div>
            <What event={event} />
            <Metadata of={event.metadata} />
          </div>
          <div>
            <Who event={event} />
            <When event={event} processedAt={processedAt} />
          </div>
        </div>
      )}
    </Page>
  );
};
