import { useRoute } from "preact-iso/router";
import { useCaller, useMay } from "../../access.ts";
import { answer, api } from "../../api/client.ts";
import { useResource } from "../../api/resource.ts";
import type { Erasure } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Card, Facts, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Badge, Time } from "../../parts/values.tsx";
import { eventAddress } from "../../words/address.ts";
import { formatNumber, formatUtc } from "../../words/format.ts";
import { proofText, removedCounts, scopes, statuses } from "./proof.ts";
import { useErasures } from "./use-erasures.ts";

/** The event is recorded around the time of completion. */
const AROUND_MS = 10 * 60_000;

/** The id of the security event that records the completion; undefined until it is found. */
const useCompletionEvent = ({ id, completedAt }: Erasure): string | undefined => {
  const mayRead = useMay("security:read");
  const event = useResource(`erasure event ${id} ${completedAt ?? ""}`, async (signal) => {
    if (!mayRead || completedAt === undefined) return undefined;
    const query = {
      eventType: "ERASURE_COMPLETED",
      since: String(completedAt - AROUND_MS),
      until: String(completedAt + AROUND_MS),
      limit: 100,
    } as const;
    const { events } = await answer(api.GET("/api/integrations/provider/security", { params: { query }, signal }));
    const isOurs = (metadata: unknown): boolean =>
      typeof metadata === "object" && metadata !== null && "erasureId" in metadata && metadata.erasureId === id;
    return events.find(({ metadata }) => isOurs(metadata))?.id;
  });
  return event.value;
};

/** A time with UTC beside it: the proof is also read on paper. */
const ExactTime = ({ at }: { at: number }) => (
  <>
    <Time at={at} /> <span class="quiet">({formatUtc(at)})</span>
  </>
);

const Proof = ({ erasure }: { erasure: Erasure }) => {
  const { organizationId } = useCaller();
  const { id, scope, status, requestedAt, requestedBy, dueAt, completedAt, reason } = erasure;
  const eventId = useCompletionEvent(erasure);
  const isCompleted = completedAt !== undefined;
  return (
    <>
      <Card
        title={isCompleted ? "Proof of erasure" : "Progress"}
        actions={
          <div class="actions erasure-actions">
            <CopyButton what="The proof" label="Copy as text" text={proofText(erasure, organizationId, eventId)} />
            <Button onClick={() => window.print()}>Print</Button>
          </div>
        }
      >
        <Facts
          of={[
            ["Erasure", <code key="id">{id}</code>],
            ["Organization", organizationId],
            ["Erased", scopes[scope]],
            [
              "Status",
              <Badge key="status" tone={statuses[status].tone}>
                {statuses[status].name}
              </Badge>,
            ],
            ["Requested by", requestedBy],
            ["Requested", <ExactTime key="requested" at={requestedAt} />],
            ["Reason", reason],
            ["Due by", <ExactTime key="due" at={dueAt} />],
            ["Completed", isCompleted ? <ExactTime at={completedAt} /> : undefined],
            [
              "Security event",
              eventId && (
                <a href={eventAddress(eventId)}>
                  <code>{eventId}</code>
                </a>
              ),
            ],
          ]}
        />
      </Card>
      <Card
        title={isCompleted ? "What was removed" : "What was removed so far"}
        note={
          isCompleted
            ? "The service went over all places again until no data from before the request was left, at most eight times."
            : "The erasure goes over all places until a pass finds no more data. This page follows it."
        }
      >
        <Table
          class="erasure-counts"
          rows={removedCounts(erasure)}
          keyOf={({ name }) => name}
          columns={[
            { head: "Data", isHead: true, cell: ({ name }) => name },
            { head: "Number", isNumber: true, cell: ({ count }) => formatNumber(count) },
          ]}
        />
      </Card>
    </>
  );
};

export const View = () => {
  const { id } = useRoute().params;
  const erasures = useErasures();
  const find = () => erasures.value?.items.find((erasure) => erasure.id === id);
  return (
    <Page title="Erasure" lead={<a href="/console/erasure">All erasures</a>}>
      <Loaded
        of={erasures}
        what="the erasure"
        isEmpty={() => find() === undefined}
        empty={
          <Empty title="There is no such erasure here">
            <p>The address may be mistyped, or the erasure is older than those that were read.</p>
            {erasures.value?.hasMore && <Button onClick={erasures.more}>Look among older erasures</Button>}
          </Empty>
        }
      >
        {() => {
          const erasure = find();
          return erasure && <Proof key={erasure.id} erasure={erasure} />;
        }}
      </Loaded>
    </Page>
  );
};
