/** What a compliance report says of a UTC day. Built by build-compliance-report.ts. Spec: "Periodic processing". */
import * as z from "zod/mini";
import { connectionStatuses } from "../connection/connection.ts";
import { recordTypes } from "../records/record.ts";
import { sources } from "../security/security-event.ts";
import {
  ByKind,
  ByLevel,
  count,
  described,
  durationMs,
  more,
  ReportedAlert,
  reportEntryFields,
  text,
  time,
} from "./report-fields.ts";

export const UserAccess = z
  .object({
    userId: text,
    calls: count("Calls of the API, refused ones included."),
    reads: ByKind,
    refusals: count("Calls that were refused: for the token, the permission or the address."),
  })
  .register(z.globalRegistry, { id: "UserAccess", description: "What one user did, and was refused." });
export type UserAccess = z.output<typeof UserAccess>;

export const changedAreas = ["connection", "settings", "circuit_breaker"] as const;
export type ChangedArea = (typeof changedAreas)[number];

export const ReportedChange = z
  .object({
    at: time("when it happened."),
    area: z.enum(changedAreas),
    what: described("The action, such as `force_open`."),
    who: z.optional(described("The user; absent where the service or the provider acted.")),
    why: z.optional(described("The reason that was given, or what caused it.")),
    details: z.optional(described("What became of what.")),
    source: z.enum(sources),
    eventId: text,
  })
  .register(z.globalRegistry, { id: "ReportedChange", description: "A change of connection, settings or breaker." });
export type ReportedChange = z.output<typeof ReportedChange>;

const ComparedType = z.object({
  type: z.enum(recordTypes),
  listed: count("Objects that the provider listed."),
  stored: count("Records that are stored."),
  onlyListed: count("Listed and not stored; counted up to 100."),
  onlyStored: count("Stored and not listed; counted up to 100."),
});

const FailedRun = z.object({ id: text, startedAt: time("when it began."), category: text, message: text });

export const ReportedSync = z.object({
  connection: z.enum(connectionStatuses).register(z.globalRegistry, { description: "When the report was made." }),
  runs: count("Runs that began in the period."),
  succeeded: count("Runs that read every record type to its end."),
  failed: count("Runs that did not."),
  cancelled: count("Runs that were cancelled, as by disconnecting."),
  running: count("Runs that were under way when the report was made."),
  written: count("Records that changed."),
  failures: z.array(FailedRun),
  moreFailures: more("failed runs"),
  lastSuccessAt: z.optional(time("when the last run that succeeded ended, whatever its day.")),
  completeness: z.optional(
    z.object({
      runId: text,
      at: time("when both sides were compared last."),
      isComplete: z.boolean().register(z.globalRegistry, { description: "Whether nothing was on one side only." }),
      types: z.array(ComparedType),
    }),
  ),
});
export type ReportedSync = z.output<typeof ReportedSync>;

export const ReportedErasure = z.object({
  id: text,
  status: text,
  requestedAt: time("when it was asked for."),
  dueAt: time("when it must be done."),
  daysLeft: z
    .number()
    .register(z.globalRegistry, { description: "Whole days from the period's end.", override: { type: "integer" } }),
});
export type ReportedErasure = z.output<typeof ReportedErasure>;

const Hour = z.object({ events: count("Events."), failures: count("Events without success.") });

export const ComplianceReport = z
  .object({
    ...reportEntryFields,
    kind: z.literal("compliance"),
    unprocessedHighRiskEvents: count("HIGH and CRITICAL events that nobody had processed at the period's end."),
    events: z.object({
      total: count("Events of the period."),
      failures: count("Those without success."),
      byLevel: ByLevel,
      hours: z.array(Hour).register(z.globalRegistry, { description: "The day's 24 hours." }),
    }),
    access: z.object({
      calls: count("Calls of the API, refused ones included."),
      refusals: count("Refused calls; of a flood of bad tokens at least so many."),
      users: z.array(UserAccess).register(z.globalRegistry, { description: "Most refusals first, then most calls." }),
      moreUsers: more("users"),
      withoutUser: z.object({
        calls: count("Calls of nobody known, all of them refused."),
        refusals: count("The same, with those that a count stands for."),
      }),
    }),
    changes: z.array(ReportedChange).register(z.globalRegistry, { description: "In order of time." }),
    moreChanges: more("changes"),
    sync: ReportedSync,
    retention: z.object({
      days: count("RETENTION_DAYS."),
      oldestEventAt: z.optional(time("the oldest event that is stored; absent where there is none.")),
      isHeld: z.boolean().register(z.globalRegistry, {
        description: "Whether nothing is stored that should be gone; expired events are removed within two days.",
      }),
    }),
    erasures: z
      .array(ReportedErasure)
      .register(z.globalRegistry, { description: "Those not completed, first due first." }),
    moreErasures: more("erasure requests"),
    alerts: z.object({
      raised: count("Alerts whose first evidence is of the period."),
      acknowledged: count("Those of them that somebody has acknowledged or resolved."),
      byLevel: ByLevel,
      medianTimeToAcknowledgeMs: z.optional(
        durationMs("the median of alerts that were acknowledged in the period, whenever raised."),
      ),
      list: z.array(ReportedAlert).register(z.globalRegistry, {
        description: "Raised, acknowledged or resolved in the period, or still open; the newest first.",
      }),
      moreAlerts: more("alerts"),
    }),
  })
  .register(z.globalRegistry, { id: "ComplianceReport", description: "What a UTC day had." });
export type ComplianceReport = z.output<typeof ComplianceReport>;
