/**
 * Exports, as clients request and see them. An export writes security events, or all data of an organization, to files in
 * a bucket (export-worker.ts). A link downloads a file for at most 15 minutes; files are deleted after 7 days. docs/exports.md.
 */
import * as z from "zod/mini";
import { described } from "../json/described.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { word } from "../json/word.ts";
import { SecurityQuery } from "../security/monitoring/security-report.ts";
import { categories, sources } from "../security/security-event.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { riskLevels } from "../terms/risk-levels.ts";

/** How long the files of a completed export are kept. Source: docs/exports.md, "Limits", like all limits here. */
export const FILES_KEPT_MS = 7 * DAY_MS;

/** How long a link to a file is valid. */
export const LINK_SECONDS = 15 * 60;
export const LINK_MS = LINK_SECONDS * 1_000;

/** Without `since`, as in the list of events. */
export const DEFAULT_PERIOD_MS = DAY_MS;

/**
 * An export that takes longer fails: the bucket discards an unfinished upload a day after its beginning, and the export
 * must not occupy one of the organization's places for ever.
 */
export const TIME_LIMIT_MS = DAY_MS - 4 * HOUR_MS;

/** Exports of an organization that are not complete at the same time. Another one is answered 409. */
export const MAX_RUNNING = 3;

export const exportKinds = ["events", "organization"] as const;
export type ExportKind = (typeof exportKinds)[number];

export const exportFormats = ["ndjson", "csv", "ocsf"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportStatuses = ["requested", "running", "completed", "failed", "deleted"] as const;

const { eventType, category, riskLevel, userId, source, ipAddress, since, until, processed, success } =
  SecurityQuery.shape;

const TIME_ERROR = "expected epoch milliseconds from 0 on, or a time as RFC 3339 writes it";
const MAX_TIME_MS = 999_999_999_999_999n;

/** Integers of a body arrive as bigint (shared/json/revive-exactly.ts). */
const epochTime = z
  .pipe(
    z.bigint({ error: TIME_ERROR }).check(z.gte(0n, { error: TIME_ERROR }), z.lte(MAX_TIME_MS, { error: TIME_ERROR })),
    z.transform((time: bigint) => Number(time)),
  )
  .register(z.globalRegistry, { override: { type: "integer", minimum: 0, maximum: Number(MAX_TIME_MS) } });

/** A time of a body: the number, or the text that the query parameter accepts. */
const instant = (parameter: typeof since, description: string) =>
  z.optional(described(z.union([epochTime, parameter.def.innerType], { error: TIME_ERROR }), description));

/** A flag of a body: `true`, or the text that the query parameter accepts. */
const flag = (parameter: typeof processed, description: string) =>
  z.optional(
    described(z.union([z.boolean(), parameter.def.innerType], { error: "expected true or false" }), description),
  );

/** The body of POST …/security/exports: the filters of the events' list, and the format. */
export const EventExportRequest = z
  .object({
    format: word(
      exportFormats,
      (text) => text.toLowerCase(),
      "`ndjson`: events as the API returns them, one a line; `csv`: a table; `ocsf`: events of OCSF, one a line.",
    ),
    eventType,
    category,
    riskLevel,
    userId,
    source,
    ipAddress,
    since: instant(
      since,
      "Only events from this time on, and not before the archive begins; 24 hours before the request by default.",
    ),
    until: instant(until, "Only events before this time; never events of the time of the request or later."),
    processed: flag(
      processed,
      "Only events that are marked as processed (true), or only the others (false); only with `since` within the retention.",
    ),
    success: flag(success, "Only events of operations that succeeded (true), or only the others (false)."),
    proof: z.optional(
      described(
        z.boolean({ error: "expected true or false" }),
        "Also writes the files that prove the events (`docs/evidence.md`): `format` is then `ndjson`, the period is of whole sealed hours, by default the last 24, and there are no other filters. The export waits until late events and erasures of the period are sealed.",
      ),
    ),
  })
  .register(z.globalRegistry, {
    id: "EventExportRequest",
    description: "The events to export, by the filters of `GET …/security`, and the format.",
  });
export type EventExportRequest = z.output<typeof EventExportRequest>;

/** The events of an export: the request's filters, with both ends of the period. */
export const ExportFilter = z
  .object({
    since: epochMs("the first moment."),
    until: epochMs("the end of the period, exclusive: at the latest the time of the request."),
    eventType: z.optional(z.string()),
    category: z.optional(z.enum(categories)),
    riskLevel: z.optional(z.enum(riskLevels)),
    userId: z.optional(z.string()),
    processed: z.optional(z.boolean()),
    success: z.optional(z.boolean()),
    source: z.optional(z.enum(sources)),
    ipAddress: z.optional(z.string()),
  })
  .register(z.globalRegistry, { id: "ExportFilter", description: "The events of an export. All filters must match." });
export type ExportFilter = z.output<typeof ExportFilter>;

const fileFields = {
  name: described(z.string(), "Such as `events.ndjson`."),
  bytes: count("The size of the file."),
  count: count("The entries of the file: lines of NDJSON, rows of CSV without the header."),
  sha256: described(z.string(), "The SHA-256 of the file, in hexadecimal digits."),
};

/** A complete file, without a link. */
export const ExportedFile = z.object(fileFields);
export type ExportedFile = z.output<typeof ExportedFile>;

const ExportFile = z
  .object({
    ...fileFields,
    url: z.optional(
      described(z.string(), "Downloads the file without a token. Only in the answer for one completed export."),
    ),
    urlExpiresAt: z.optional(epochMs("when the URL stops working at the latest: 15 minutes after the answer.")),
  })
  .register(z.globalRegistry, { id: "ExportFile", description: "A complete file of an export." });

const PersonalData = z
  .object({
    file: z.string(),
    fields: described(
      z.array(z.string()),
      "Paths such as `metadata.actor.email`, each with everything below it. In CSV a path begins with the column.",
    ),
  })
  .register(z.globalRegistry, { id: "PersonalData", description: "Fields of a file that have personal data." });

/**
 * Why an export failed. `too_slow`: it took longer than 20 hours; `too_large`: a file would have more than 16 GB; `erased`:
 * an erasure began before the export was complete, so its files could have contained what is erased; `broken`: the stored
 * events are not those that were sealed; `expired`: events of the period expired before they were exported.
 */
export const exportErrors = {
  too_slow: "The export took longer than 20 hours. Export a shorter period.",
  too_large: "A file of the export would have more than 16 GB. Export a shorter period.",
  erased: "Data of the organization was erased during the export. Export again.",
  broken: "The stored events are not those that were sealed. GET …/security/integrity names the hour.",
  expired: "Events of the period have expired. Export a later period.",
} as const;
export type ExportErrorCode = keyof typeof exportErrors;

/** An export in answers. */
export const Export = z
  .object({
    id: z.string(),
    kind: described(z.enum(exportKinds), "`events`: security events; `organization`: all data of the organization."),
    format: z.optional(described(z.enum(exportFormats), "Of an export of events.")),
    proof: z.optional(described(z.boolean(), "Whether its files prove the events.")),
    filter: z.optional(ExportFilter),
    status: described(
      z.enum(exportStatuses),
      "`deleted`: the files were deleted, 7 days after they were complete or by an erasure. A failed export has no files.",
    ),
    requestedAt: epochMs("when it was requested. Events of that time or later are not exported."),
    requestedBy: described(z.string(), "The user who requested it; empty if the user's data was erased."),
    completedAt: z.optional(epochMs("when the last file was complete.")),
    expiresAt: z.optional(epochMs("when the files are deleted.")),
    progress: z.object({
      items: count("Entries written so far, in all files."),
      bytes: count("Bytes written so far, in all files."),
    }),
    files: z.array(ExportFile),
    personalData: z.optional(
      z.array(PersonalData).register(z.globalRegistry, {
        description: "Where the files have personal data. Only in the answer for one completed export.",
      }),
    ),
    error: z.optional(z.object({ code: z.string(), message: z.string() })),
  })
  .register(z.globalRegistry, { id: "Export", description: "An export, its progress and its files." });
export type Export = z.output<typeof Export>;

/** How long the list shows an export after its request. */
export const EXPORT_KEPT_MS = 30 * DAY_MS;
