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

/** What sealing says of a period: whether the deployment's log is consistent, and of each hour what is wrong, if anything is. */
type SealedPeriod = {
  log: "consistent" | "broken";
  hours: readonly {
    hour: number;
    status: "verified" | "not_sealed" | "expired" | "broken";
    problem?: string | undefined;
  }[];
};

const timeOf = (hour: number): string => `${new Date(hour).toISOString().slice(0, 16)}Z`;

/** The integrity of a period as its report has it. */
export const reportIntegrity = ({ log, hours }: SealedPeriod): ReportedIntegrity => {
  const broken = hours.find(({ status }) => status === "broken");
  if (broken !== undefined) return { log: "broken", text: `The hour ${timeOf(broken.hour)}: ${broken.problem ?? ""}` };
  if (log === "broken")
    return {
      log,
      text: "The log is not the one that its checkpoint signs, or does not count the organization's records.",
    };
  const count = (wanted: string) => hours.filter(({ status }) => status === wanted).length;
  const [verified, open, expired] = [count("verified"), count("not_sealed"), count("expired")];
  const others = [
    ...(open === 0 ? [] : [`${open} were not sealed when the report was made`]),
    ...(expired === 0 ? [] : [`${expired} have expired`]),
  ];
  const text = [`The log is consistent: of ${hours.length} hours, ${verified} are verified`, ...others].join(", ");
  return verified === 0 && expired === 0
    ? { log: "not_sealed", text: "No hour of the period is sealed." }
    : { log, text: `${text}.` };
};
