/** The compliance report of a UTC day. Built by build-compliance-report.ts. Spec: "Periodic processing". */
import * as z from "zod/mini";
import { connectionStatuses } from "../connection/connection.ts";
import { StoredKey } from "../connection/key.ts";
import { count, epochMs, integer } from "../json/number-fields.ts";
import { recordTypes } from "../records/record.ts";
import { sources } from "../security/security-event.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { ReportedDrill, ReportedIntegrity } from "./evidence-fields.ts";
import { ByCause, ByLevel, described, durationMs, more, ReportedAlert, reportEntryFields } from "./report-fields.ts";
import { allReviews } from "./report-review.ts";

const flag = (description: string) => z.boolean().register(z.globalRegistry, { description });

export const UserAccess = z
  .object({
    userId: z.string(),
    calls: count("Calls of the API, including refused calls."),
    reads: z.record(z.string(), count("Minutes in which the user read this kind.")),
    refusals: count("Calls that were refused: because of the token, the permission or the address."),
  })
  .register(z.globalRegistry, { id: "UserAccess", description: "The calls, reads and refusals of one user." });
export type UserAccess = z.output<typeof UserAccess>;

export const ReportedChange = z
  .object({
    at: epochMs("when it happened."),
    area: z.enum(["connection", "settings", "circuit_breaker", "notifications", "exports"]),
    what: described("The action, such as `force_open`."),
    who: z.optional(described("The user; absent if the service or the provider acted.")),
    why: z.optional(described("The given reason, or the cause.")),
    details: z.optional(described("The values before and after.")),
    source: z.enum(sources),
    eventId: z.string(),
  })
  .register(z.globalRegistry, {
    id: "ReportedChange",
    description: "A change of connection, settings, breaker or destinations, or an export.",
  });
export type ReportedChange = z.output<typeof ReportedChange>;

const ComparedType = z.object({
  type: z.enum(recordTypes),
  listed: count("Objects that the provider listed."),
  stored: count("Records that are stored."),
  onlyListed: count("Listed and not stored; counted up to 100."),
  onlyStored: count("Stored and not listed; counted up to 100."),
});

const FailedRun = z.object({
  id: z.string(),
  startedAt: epochMs("when it began."),
  category: z.string(),
  message: z.string(),
});

export const ReportedKey = z
  .extend(z.pick(StoredKey, { kind: true, mode: true }), { since: epochMs("when it was first stored.") })
  .register(z.globalRegistry, { description: "The stored key when the report was made; absent without a connection." });

export const ReportedSync = z.object({
  connection: z.enum(connectionStatuses).register(z.globalRegistry, { description: "When the report was made." }),
  key: z.optional(ReportedKey),
  runs: count("Runs that began in the period."),
  succeeded: count("Runs that read every record type to its end."),
  failed: count("Runs that did not."),
  cancelled: count("Runs that were cancelled, for example by disconnecting."),
  running: count("Runs that were active when the report was made."),
  written: count("Records that changed."),
  failures: z.array(FailedRun),
  moreFailures: more("failed runs"),
  lastSuccessAt: z.optional(epochMs("when the last successful run ended, on whichever day.")),
  completeness: z.optional(
    z.object({
      runId: z.string(),
      at: epochMs("when both sides were compared last."),
      isComplete: flag("Whether both sides had the same objects."),
      types: z.array(ComparedType),
    }),
  ),
});
export type ReportedSync = z.output<typeof ReportedSync>;

export const ReportedErasure = z.object({
  id: z.string(),
  status: z.string(),
  requestedAt: epochMs("when it was requested."),
  dueAt: epochMs("when it must be completed."),
  daysLeft: integer("Whole days from the period's end."),
});
export type ReportedErasure = z.output<typeof ReportedErasure>;

export const ReportedMute = z
  .object({
    id: z.string(),
    rules: z.optional(z.array(z.string())),
    subject: z.optional(z.string()),
    levels: z.array(z.enum(riskLevels)),
    from: epochMs("when it began."),
    until: epochMs("when it ends, or has ended."),
    weekly: flag("Whether it acts only in spans of each week."),
    who: described("The user who created it."),
    why: described("Why the alerts are muted."),
    hiddenAlerts: count("Alerts that it had hidden when the report was made."),
  })
  .register(z.globalRegistry, { id: "ReportedMute", description: "A mute that acted during the period." });
export type ReportedMute = z.output<typeof ReportedMute>;

const Hour = z.object({ events: count("Events."), failures: count("Failed events.") });

export const ComplianceReport = z
  .object({
    ...reportEntryFields,
    reviews: allReviews,
    kind: z.literal("compliance"),
    unprocessedHighRiskEvents: count("HIGH and CRITICAL events that were unprocessed at the period's end."),
    events: z.object({
      total: count("Events of the period."),
      failures: count("Failed events."),
      byLevel: ByLevel,
      hours: z.array(Hour).register(z.globalRegistry, { description: "The day's 24 hours." }),
    }),
    access: z.object({
      calls: count("Calls of the API, including refused calls."),
      refusals: count("Refused calls; a lower bound for a flood of invalid tokens."),
      users: z.array(UserAccess).register(z.globalRegistry, { description: "Most refusals first, then most calls." }),
      moreUsers: more("users"),
      withoutUser: z.object({
        calls: count("Calls without a known user, all of them refused."),
        refusals: count("The same, including the refusals that counting events represent."),
      }),
    }),
    changes: z.array(ReportedChange).register(z.globalRegistry, { description: "In order of time." }),
    moreChanges: more("changes"),
    exports: z.optional(
      z
        .object({
          requested: count("Exports that were requested; who requested what is in `changes`."),
          completed: count("Exports that were completed."),
        })
        .register(z.globalRegistry, { description: "Absent in a report from before there were exports." }),
    ),
    sync: ReportedSync,
    retention: z.object({
      days: count("RETENTION_DAYS."),
      oldestEventAt: z.optional(epochMs("the oldest stored event; absent if there is none.")),
      isHeld: flag("Whether no event is stored beyond its retention; DynamoDB removes expired events within two days."),
    }),
    erasures: z
      .array(ReportedErasure)
      .register(z.globalRegistry, { description: "Erasures that are not completed, the first due first." }),
    moreErasures: more("erasure requests"),
    mutes: z.optional(
      z.array(ReportedMute).register(z.globalRegistry, {
        description: "Mutes that acted during the period, the latest first. Absent in older reports.",
      }),
    ),
    moreMutes: z.optional(more("mutes")),
    rulesOff: z.optional(
      z.array(z.string()).register(z.globalRegistry, {
        description: "Built-in rules of detection that were off when the report was made. Absent in older reports.",
      }),
    ),
    lastDrill: z.optional(ReportedDrill),
    integrity: z.optional(ReportedIntegrity),
    alerts: z.object({
      raised: count("Alerts whose first evidence is of the period."),
      acknowledged: count("Those of them that were acknowledged or resolved."),
      byLevel: ByLevel,
      resolvedByCause: z.optional(ByCause),
      medianTimeToAcknowledgeMs: z.optional(
        durationMs("the median of the alerts that were acknowledged in the period, whenever they were raised."),
      ),
      list: z.array(ReportedAlert).register(z.globalRegistry, {
        description:
          "Raised, acknowledged, resolved, last assigned or last commented on in the period, or still open; the newest first.",
      }),
      moreAlerts: more("alerts"),
    }),
  })
  .register(z.globalRegistry, { id: "ComplianceReport", description: "The report of a UTC day." });
export type ComplianceReport = z.output<typeof ComplianceReport>;
