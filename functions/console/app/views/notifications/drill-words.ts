/** The stages of a fire drill in words. Pure. */
import type { Problem } from "../../api/problem.ts";
import type { Destination, Drill } from "../../api/types.ts";
import { formatDuration } from "../../words/format.ts";

export type Stage = { name: string; text: string };

type Named = Pick<Destination, "id" | "name">;

/** How long after its beginning a stage was reached. */
const after = ({ startedAt }: Pick<Drill, "startedAt">, at: number | undefined): string =>
  at === undefined ? "Not yet" : `After ${formatDuration(Math.max(0, at - startedAt))}`;

/** @param destinations those that the view knows; one that is deleted is named by its id. */
export const stagesOf = (drill: Drill, destinations: readonly Named[]): Stage[] => {
  const { recordedAt, judgedAt, alertedAt, deliveries, acknowledgedAt, acknowledgedBy } = drill.stages;
  const nameOf = (id: string) => destinations.find((one) => one.id === id)?.name ?? id;
  return [
    { name: "Recorded", text: after(drill, recordedAt) },
    { name: "Judged", text: after(drill, judgedAt) },
    { name: "Alerted", text: after(drill, alertedAt) },
    ...deliveries.map(({ destinationId, acceptedAt, failedAt }) => ({
      name: `Accepted by ${nameOf(destinationId)}`,
      text: failedAt === undefined ? after(drill, acceptedAt) : "Failed",
    })),
    {
      name: "Acknowledged",
      text: after(drill, acknowledgedAt) + (acknowledgedBy === undefined ? "" : ` by ${acknowledgedBy}`),
    },
  ];
};

const outcomes: Readonly<Record<Drill["status"], string>> = {
  running: "The drill is under way …",
  succeeded: "The drill has succeeded: the alert reached every active destination.",
  failed: "The drill has failed: the alert did not reach every active destination within 10 minutes.",
};

export const outcomeOf = ({ status, stages: { deliveries } }: Drill): string =>
  status === "succeeded" && deliveries.length === 0
    ? "The drill has succeeded, but no destination is active: the alert is only in this console."
    : outcomes[status];

const MINUTE = 60_000;
/** Of the error catalogue. */
const RUNNING = 40925;
const TOO_MANY = 42902;

/** Undefined for a failure that has nothing to do with other drills. */
export const whyNotStarted = ({ code, retryAfterS }: Pick<Problem, "code" | "retryAfterS">): string | undefined => {
  if (code === RUNNING)
    return "A drill is under way, perhaps one that a colleague or the monthly setting started. Wait until it has ended, within 10 minutes.";
  if (code !== TOO_MANY) return undefined;
  const left = Math.max(1, Math.ceil(((retryAfterS ?? 0) * 1_000) / MINUTE)) * MINUTE;
  return `There were ten drills today, as many as a day may have. The next one can be held when the next day of UTC begins, in ${formatDuration(left)}.`;
};
