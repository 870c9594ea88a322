/** Takes a request to export events, or all data of an organization. Decisions: docs/exports.md, "Requests". */
import { type ArchiveSpan, firstArchivedHour, isExpiredHour } from "../archive/archive-hour.ts";
import { definedFields } from "../json/defined-fields.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { DAY_MS, startOfHour } from "../terms/hours.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { UserRequest } from "../terms/requester.ts";
import { DEFAULT_PERIOD_MS, type EventExportRequest, type Export, type ExportFilter } from "./export.ts";
import { type ExportEvents, exportRequested } from "./export-events.ts";
import type { ExportStore, NewExport } from "./export-store.ts";
import type { ProofSpan } from "./proof-span.ts";

export type RequestExportDependencies = {
  exports: Pick<ExportStore, "create" | "find" | "forgetOrigin">;
  events: Pick<ExportEvents, "requested">;
  bus: Pick<EventBus, "publish">;
  /** Undefined if the deployment has no archive. */
  span?: ArchiveSpan | undefined;
  /** Undefined if only exports of all data are requested. */
  proofSpan?: ProofSpan | undefined;
};

/** What to export. The kind `organization` has neither filters nor a format. */
export type Wanted = { kind: "events"; request: EventExportRequest } | { kind: "organization" };

/** The oldest event that the tables or the archive may have, epoch ms; without an archive, filters are not cut. */
const oldestOf = (span: ArchiveSpan | undefined, now: number): number =>
  span === undefined ? 0 : Math.min(firstArchivedHour(now, span.months), startOfHour(now - span.retentionMs));

/**
 * The period ends at the request at the latest, so that the export has an end.
 * @throws DomainError `invalid_field` for `processed` and events that only the archive has: it does not know the present
 *   state.
 */
const filterOf = (
  { since: wanted, until, format: _, proof: __, ...filters }: EventExportRequest,
  requestedAt: number,
  span: ArchiveSpan | undefined,
): ExportFilter => {
  const since = wanted ?? requestedAt - DEFAULT_PERIOD_MS;
  if (span !== undefined && filters.processed !== undefined && isExpiredHour(startOfHour(since), requestedAt, span)) {
    const days = Math.round(span.retentionMs / DAY_MS);
    throw new DomainError("invalid_field", `processed: expected only with since within the last ${days} days`);
  }
  return {
    since: Math.max(since, oldestOf(span, requestedAt)),
    until: Math.min(until ?? requestedAt, requestedAt),
    ...definedFields(filters),
  };
};

const answerOf = ({ origin: _, ...promised }: NewExport): Export => ({
  ...promised,
  status: "requested",
  progress: { items: 0, bytes: 0 },
  files: [],
});

export type RequestExport = (wanted: Wanted, by: UserRequest & { identity: RequestIdentity }) => Promise<Export>;

export const createRequestExport = ({
  exports,
  events,
  bus,
  span,
  proofSpan,
}: RequestExportDependencies): RequestExport => {
  /** What distinguishes an export of events. */
  const selectionOf = async (request: EventExportRequest, requestedAt: number) => {
    const { format } = request;
    if (request.proof !== true) return { format, filter: filterOf(request, requestedAt, span) };
    if (proofSpan === undefined) throw new Error("This function exports no events.");
    return { format, filter: await proofSpan(request), proof: true };
  };

  /** Records the request of a stored export, once, and requests a worker. */
  const announce = async (organizationId: string, promised: NewExport): Promise<void> => {
    const { id: exportId, origin } = promised;
    // A stored export is carried out, whatever fails below: the worker records a missing event.
    try {
      await events.requested(organizationId, promised, origin);
      await exports.forgetOrigin(organizationId, exportId);
    } catch (error) {
      writeLog("warn", "Recording the request of an export failed; its worker records it", { cause: String(error) });
    }
    const unpublished = await bus.publish([exportRequested({ organizationId, exportId })]);
    if (unpublished.length > 0) {
      writeLog("warn", "Requesting a worker for an export failed; the next hour requests it again", {});
    }
  };

  /** @throws DomainError `invalid_field`, `too_many_exports`, `store_unavailable`. */
  return async (wanted, { caller, origin, identity }) => {
    const { organizationId, userId, sessionId } = caller;
    const promised: NewExport = {
      id: eventId(identity.at, identityOf("export", organizationId, identity.id)),
      kind: wanted.kind,
      ...(wanted.kind === "events" && (await selectionOf(wanted.request, identity.at))),
      requestedAt: identity.at,
      requestedBy: userId,
      origin: { ...origin, ...definedFields({ sessionId }) },
    };
    // If an earlier attempt could not store the export, this one stores it.
    const earlier = identity.isRepeated ? await exports.find(organizationId, promised.id) : undefined;
    addLogIds({ exportId: promised.id });
    if (earlier === undefined) await exports.create(organizationId, promised);
    // The earlier attempt may have ended before it recorded the request.
    if (earlier === undefined || earlier.origin !== undefined) await announce(organizationId, promised);
    if (earlier !== undefined) {
      const { requestedBy, filter } = earlier;
      return answerOf({ ...promised, requestedBy, ...definedFields({ filter }) });
    }
    return answerOf(promised);
  };
};
