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
          "Whether as many events are recorded, counted, sealed, archived and fed on each day; absent if a day has no sums yet.",
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

/** The sums of a period's days: how many days there are, how many have none yet, the events, and the first unequal day. */
type SummedPeriod = { days: number; open: number; recorded: number; problem?: string | undefined };

/** The integrity of a period with what its sums say. A period without a sealed day has none. */
export const withSums = (
  integrity: ReportedIntegrity,
  { days, open, recorded, problem }: SummedPeriod,
): ReportedIntegrity => {
  const say = (sentence: string): string => `${integrity.text} ${sentence}`;
  if (days === 0) return integrity;
  if (problem !== undefined)
    return { ...integrity, isWhole: false, text: say(`The sums of events are unequal on ${problem}`) };
  if (open > 0) return { ...integrity, text: say(`The sums of ${open} of ${days} days follow in the night.`) };
  const whole = `On ${days === 1 ? "the day" : `all ${days} days`}, the sums of events are equal: ${recorded} are recorded.`;
  return { ...integrity, isWhole: true, text: say(whole) };
};
