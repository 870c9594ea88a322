/**
 * Links that open a report's page in a browser, without a token. A link is sealed (shared/runtime/sealing.ts), so an altered
 * one costs no call. It is also stored, so that the sealing key alone does not suffice to make one. docs/reports.md, "Links".
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { epochMs } from "../json/number-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Sealing } from "../runtime/sealing.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { Caller, OrganizationCaller } from "../terms/caller.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { requesterOf, type UserRequest } from "../terms/requester.ts";
import { periodOfReportId } from "./period.ts";
import type { ReportLinkStore } from "./report-link-store.ts";
import type { ReportStore } from "./report-store.ts";

/** Decisions: docs/reports.md, "Links". */
export const LINK_LIFE_MS = 10 * 60_000;

export const ReportLink = z
  .object({
    url: z.string().register(z.globalRegistry, { description: "Opens the page. Treat it like a password." }),
    expiresAt: epochMs("when the link ends."),
  })
  .register(z.globalRegistry, { id: "ReportLink", description: "A link to the page of one report." });
type ReportLink = z.output<typeof ReportLink>;

/** Unsealing returns integers as bigints. */
const integer = z.pipe(
  z.bigint(),
  z.transform((value: bigint) => Number(value)),
);
/** `erasedTimes`: of the organization's reports, when the link was created. `request`: the unique id of that request. */
const Content = z.object({
  organizationId: z.string(),
  userId: z.string(),
  sessionId: z.optional(z.string()),
  expiresAt: integer,
  erasedTimes: integer,
  request: z.string(),
});

/** Separates links from cursors and OAuth states: their scopes name an organization or a user. */
const bindingOf = (reportId: string) => ({ scope: "report-link", query: reportId });

/**
 * Names a stored link. It follows from all that the link says, so that a link which was altered with the sealing key is not
 * stored; and from the request, so that a repetition stores no other one.
 */
const linkIdOf = (reportId: string, content: z.output<typeof Content>): string => {
  const { organizationId, userId, sessionId = "", expiresAt, erasedTimes, request } = content;
  const name = ["link", reportId, organizationId, userId, sessionId, expiresAt, erasedTimes, request] as const;
  return Buffer.from(identityOf(...name)).toString("base64url");
};

type LinkDependencies = { links: ReportLinkStore; sealing: Sealing; now: Clock };

type LinkerDependencies = LinkDependencies & {
  reports: Pick<ReportStore, "has" | "erasedTimes">;
  recorder: Pick<Recorder, "record">;
};

/** Creates a link, and records that once for each request. @throws DomainError `report_not_found`, `store_unavailable`. */
export const createReportLinker =
  ({ reports, links, recorder, sealing, now }: LinkerDependencies) =>
  async (
    id: string,
    {
      caller,
      origin,
      identity,
      address,
    }: UserRequest & { caller: OrganizationCaller; identity: RequestIdentity; address: string },
  ): Promise<ReportLink> => {
    const { organizationId, userId, sessionId } = caller;
    const period = periodOfReportId(id);
    const erasedTimes = await reports.erasedTimes(organizationId);
    if (period === undefined || !(await reports.has(organizationId, period, now()))) {
      throw new DomainError("report_not_found", "There is no such report.");
    }
    const expiresAt = identity.at + LINK_LIFE_MS;
    const about = { organizationId, userId, ...definedFields({ sessionId }) };
    const content = { ...about, expiresAt, erasedTimes, request: identity.id };
    await links.put(organizationId, linkIdOf(id, content), expiresAt);
    const url = new URL("page", address);
    url.searchParams.set("key", sealing.seal(bindingOf(id), content));
    await recorder.record(
      {
        eventType: "DATA_READ",
        category: "data_access",
        riskLevel: "LOW",
        source: "user",
        organizationId,
        ...requesterOf({ caller, origin }),
        action: "create_report_link",
        success: true,
        resource: id,
        resourceType: "report",
        metadata: { requestId: origin.requestId },
      },
      { timestamp: identity.at, identity: identityOf("report_link", organizationId, identity.id) },
    );
    return { url: url.href, expiresAt };
  };

export type OpenReportLink = (reportId: string, key: string) => Promise<Caller>;

/**
 * Opens a link: returns the caller who created it. That caller's role does not count any more.
 * @throws DomainError `link_not_found`, `link_ended`, `store_unavailable`.
 */
export const createReportLinkOpener =
  ({ links, sealing, now }: LinkDependencies): OpenReportLink =>
  async (reportId, key) => {
    const notFound = () =>
      new DomainError(
        "link_not_found",
        "The service did not issue this link for this report. Create another one: POST …/reports/{id}/link.",
      );
    const opened = sealing.open(bindingOf(reportId), Content, key);
    if (opened.is !== "ours") throw notFound();
    const { organizationId, userId, sessionId, expiresAt, erasedTimes } = opened.position;
    if (expiresAt <= now()) {
      throw new DomainError("link_ended", "The link has expired. Create another one: POST …/reports/{id}/link.");
    }
    const found = await links.read(organizationId, linkIdOf(reportId, opened.position));
    if (!found.isStored) throw notFound();
    // An erasure may have removed the report, or the user whom the link names.
    if (found.erasedTimes !== erasedTimes) {
      throw new DomainError(
        "link_ended",
        "Data of the organization was erased since the link was created. Create another one.",
      );
    }
    return { organizationId, userId, sessionId, role: "guest", scope: `org:${organizationId}` };
  };
