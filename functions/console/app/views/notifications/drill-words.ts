/** The stages of a fire drill in words. Pure. */
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
