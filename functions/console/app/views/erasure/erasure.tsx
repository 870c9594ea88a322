import type { Erasure } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Badge, RelativeTime, Time } from "../../parts/values.tsx";
import { addressBelow } from "../../words/address.ts";
import { formatNumber } from "../../words/format.ts";
import { removedInAll, scopes, statuses } from "./proof.ts";
import { RequestForm } from "./request-form.tsx";
import { useErasures } from "./use-erasures.ts";

export const View = () => {
  const erasures = useErasures();
  return (
    <Page title="Erasure" lead="Delete personal data on request, and keep the proof.">
      <RequestForm onRequested={erasures.reload} />
      <Card title="Erasures">
        <Loaded
          of={erasures}
          what="erasures"
          isEmpty={({ items }) => items.length === 0}
          empty={
            <Empty title="Nothing has been erased">
              <p>An erasure is listed here as soon as it is requested, with its progress and later its proof.</p>
            </Empty>
          }
        >
          {({ items, hasMore }) => (
            <>
              <ul class="erasure-list">
                {items.map((erasure) => (
                  <ErasureRow key={erasure.id} erasure={erasure} />
                ))}
              </ul>
              {hasMore && (
                <div class="more">
                  <Button isRunning={erasures.isLoading} onClick={erasures.more}>
                    Load older erasures
                  </Button>
                </div>
              )}
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
};

const ErasureRow = ({ erasure }: { erasure: Erasure }) => {
  const { id, scope, status, requestedAt, requestedBy, dueAt, completedAt, reason } = erasure;
  const removed = formatNumber(removedInAll(erasure));
  return (
    <li class="erasure-row">
      <div>
        <h3>
          <a href={addressBelow("/console/erasure", id)}>{scopes[scope]}</a>
        </h3>
        <p class="quiet">
          Requested <RelativeTime at={requestedAt} /> by {requestedBy}
        </p>
        {reason !== undefined && <p class="quiet">Reason: {reason}</p>}
      </div>
      <div class="erasure-state">
        <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>
        {completedAt === undefined ? (
          <p>
            {removed} items removed so far. Due by <Time at={dueAt} />.
          </p>
        ) : (
          <p>
            {removed} items removed. Completed <Time at={completedAt} />.
          </p>
        )}
      </div>
    </li>
  );
};
