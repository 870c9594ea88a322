/** Takes a request to export events, or all data of an organization. Decisions: docs/exports.md, "Requests". */
import { definedFields } from "../json/defined-fields.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { UserRequest } from "../terms/requester.ts";
import { DEFAULT_PERIOD_MS, type EventExportRequest, type Export, type ExportFilter } from "./export.ts";
import { type ExportEvents, exportRequested } from "./export-events.ts";
import type { ExportStore, NewExport } from "./export-store.ts";

export type RequestExportDependencies = {
  exports: Pick<ExportStore, "create" | "find" | "forgetOrigin">;
  events: Pick<ExportEvents, "requested">;
  bus: Pick<EventBus, "publish">;
};

/** What to export. The kind `organization` has neither filters nor a format. */
export type Wanted = { kind: "events"; request: EventExportRequest } | { kind: "organization" };

/** The period ends at the request at the latest, so that the export has an end. */
const filterOf = ({ since, until, format: _, ...filters }: EventExportRequest, requestedAt: number): ExportFilter => ({
  since: since ?? requestedAt - DEFAULT_PERIOD_MS,
  until: Math.min(until ?? requestedAt, requestedAt),
  ...definedFields(filters),
});

const answerOf = ({ origin: _, ...promised }: NewExport): Export => ({
  ...promised,
  status: "requested",
  progress: { items: 0, bytes: 0 },
  files: [],
});

export type RequestExport = (wanted: Wanted, by: UserRequest & { identity: RequestIdentity }) => Promise<Export>;

export const createRequestExport = ({ exports, events, bus }: RequestExportDependencies): RequestExport => {
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

  /** @throws DomainError `too_many_exports`, `store_unavailable`. */
  return async (wanted, { caller, origin, identity }) => {
    const { organizationId, userId, sessionId } = caller;
    const promised: NewExport = {
      id: eventId(identity.at, identityOf("export", organizationId, identity.id)),
      kind: wanted.kind,
      ...(wanted.kind === "events" && {
        format: wanted.request.format,
        filter: filterOf(wanted.request, identity.at),
      }),
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
    if (earlier !== undefined) return answerOf({ ...promised, requestedBy: earlier.requestedBy });
    return answerOf(promised);
  };
};
