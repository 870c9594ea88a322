/** What daily and monthly reports say of the evidence itself: the last fire drill, and whether the log is whole. */
import * as z from "zod/mini";
import { count, epochMs } from "../json/number-fields.ts";
import type { Period } from "./period.ts";

export const ReportedDrill = z
  .object({
    id: z.string(),
    status: z.enum(["running", "succeeded", "failed"]),
    startedAt: epochMs("when it was started."),
    alertedAt: z.optional(epochMs("when its alert was raised.")),
    endedAt: z.optional(epochMs("when it had succeeded or failed.")),
    destinations: count("Destinations that were active."),
    accepted: count("Those of them that took its notification."),
    acknowledgedAt: z.optional(epochMs("when a user acknowledged its alert.")),
    acknowledgedBy: z.optional(z.string()),
  })
  .register(z.globalRegistry, {
    id: "ReportedDrill",
    description: "The last fire drill that began before the period's end; absent if there was none.",
  });
export type ReportedDrill = z.output<typeof ReportedDrill>;

/** Reads the last drill of an organization that began before a time. Both times are epoch ms. */
export type ReadLastDrill = (organizationId: string, before: number, now: number) => Promise<ReportedDrill | undefined>;

export const ReportedIntegrity = z
  .object({
    log: z.enum(["not_sealed", "consistent", "broken"]),
    isWhole: z.optional(
      z.boolean().register(z.globalRegistry, {
        description:
          "Whether as many events are recorded, counted, sealed and archived; absent while nothing is sealed.",
      }),
    ),
    text: z.string(),
  })
  .register(z.globalRegistry, {
    id: "ReportedIntegrity",
    description: "Whether the log of the period is consistent and whole.",
  });
export type ReportedIntegrity = z.output<typeof ReportedIntegrity>;

export type ReadIntegrity = (organizationId: string, period: Period, now: number) => Promise<ReportedIntegrity>;

/** The integrity and the coverage of a period's log. */
export const integrityOfPeriod: ReadIntegrity = async () => ({
  log: "not_sealed",
  text: "The log is not sealed yet: this report does not prove that it is consistent and whole.",
});
