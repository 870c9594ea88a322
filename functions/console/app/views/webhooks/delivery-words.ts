/** Deliveries of webhooks in words. Pure. docs/webhooks.md, "Deliveries". */
import type { WebhookChange, WebhookDelivery } from "../../api/types.ts";
import { inWords, type Tone } from "../../words/format.ts";

export type Status = WebhookDelivery["status"];

/** `meaning`: what the list of such deliveries contains. */
export const statuses: Readonly<Record<Status, { tone: Tone; name: string; meaning: string }>> = {
  applied: { tone: "good", name: "Applied", meaning: "Processed. The records are up to date with the event." },
  waiting: {
    tone: "accent",
    name: "Waiting",
    meaning: "Received and stored. They are processed within seconds, or again after a failed try.",
  },
  failed: {
    tone: "bad",
    name: "Failed",
    meaning: "Given up after ten tries, or after two hours without a result. They can be replayed.",
  },
  set_aside: {
    tone: "warn",
    name: "Set aside",
    meaning: "An object of the event cannot be stored as the provider sent it. The event’s other objects are stored.",
  },
  ignored: {
    tone: "quiet",
    name: "Ignored",
    meaning: "They have no meaning for the service, or belong to another account or an earlier connection.",
  },
};

export const isStatus = (text: string | undefined): text is Status =>
  text !== undefined && Object.hasOwn(statuses, text);

/** `customer.subscription.updated` as "Customer subscription updated". */
export const typeInWords = (type: string): string => inWords(type.replaceAll(".", " "));

export const changeInWords = ({ written }: Pick<WebhookChange, "written">, status: Status): string | undefined => {
  if (written === true) return "changed";
  if (written === undefined) return undefined;
  return status === "set_aside" ? "not changed" : "was up to date already";
};

const OUTCOMES: Readonly<Partial<Record<NonNullable<WebhookDelivery["outcome"]>, string>>> = {
  disconnected: "The account revoked the access, so the connection ended.",
  unknown: "The service does not use events of this type.",
  ignored: "It belongs to another account or an earlier connection.",
};

/** What a reader needs beside the status; undefined if the status says all. */
export const outcomeInWords = ({ outcome, error }: WebhookDelivery): string | undefined =>
  error ?? (outcome && OUTCOMES[outcome]);

/** A delivery this long after the event is worth a note: earlier deliveries of it have failed. */
const LATE_MS = 60_000;

/** How late a delivery came, in milliseconds; undefined if it was in time. */
export const lateBy = ({ receivedAt, createdAt }: WebhookDelivery): number | undefined =>
  receivedAt - createdAt > LATE_MS ? receivedAt - createdAt : undefined;

/** How long it took from the receipt, or the last replay, until the delivery was processed; undefined if it was not. */
export const processedAfter = ({ receivedAt, replayedAt, processedAt }: WebhookDelivery): number | undefined =>
  processedAt === undefined ? undefined : Math.max(0, processedAt - (replayedAt ?? receivedAt));

/** As the service shows a delivery that it has accepted for a replay. */
export const waitingAgain = ({ id, type, receivedAt, createdAt, changes }: WebhookDelivery): WebhookDelivery => ({
  id,
  type,
  receivedAt,
  createdAt,
  status: "waiting",
  changes: changes.map(({ type: recordType, id: recordId }) => ({ type: recordType, id: recordId })),
});
