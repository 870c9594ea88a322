import { addressBelow } from "../../address.ts";
import type { Erasure } from "../../api/types.ts";
import { formatNumber } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { RelativeTime, Time } from "../../parts/time.tsx";
import { removedInAll, scopes, statuses } from "./proof.ts";

export const ErasureRow = ({ erasure }: { erasure: Erasure }) => {
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
