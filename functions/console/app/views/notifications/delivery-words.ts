/** Deliveries of notifications in words. Pure. docs/notifications.md, "Deliveries". */
import type { DeliveryAttempt, Destination, NotificationDelivery } from "../../api/types.ts";
import { formatDuration, inWords, type Tone } from "../../words/format.ts";

const TYPES: Readonly<Record<string, string>> = {
  "security.alert.raised": "Alert raised",
  "security.alert.escalated": "Alert escalated",
  "security.alert.resolved": "Alert resolved",
  "security.alerts.summary": "Summary of alerts",
  "report.created": "Report",
  "notification.test": "Test",
  "destination.confirmation": "Request to confirm the address",
};

export const typeInWords = ({ type }: Pick<NotificationDelivery, "type">): string =>
  TYPES[type] ?? inWords(type.replaceAll(".", " "));

type State = { tone: Tone; name: string };

/** What the list of deliveries can be narrowed to: the names of the API with their words. */
export const outcomes = [
  ["", "All"],
  ["pending", "Under way"],
  ["delivered", "Delivered"],
  ["failed", "Failed"],
] as const satisfies readonly (readonly [NotificationDelivery["status"] | "", string])[];

export type Outcome = (typeof outcomes)[number][0];

export const outcomeOf = (text: string | undefined): Outcome =>
  outcomes.find(([outcome]) => outcome === text)?.[0] ?? "";

export const stateOf = ({ status, attempts }: Pick<NotificationDelivery, "status" | "attempts">): State => {
  if (status === "delivered") return { tone: "good", name: "Delivered" };
  if (status === "failed") return { tone: "bad", name: "Failed" };
  return attempts.length === 0 ? { tone: "accent", name: "Waiting" } : { tone: "warn", name: "Trying again" };
};

/** Why a try had no answer, by the API's name for it. */
const ATTEMPT_ERRORS: Readonly<Record<string, string>> = {
  refused_url: "The URL is not allowed.",
  refused_address: "The host has an address that is not in the public internet.",
  name_not_resolved: "The host’s name has no address.",
  not_connected: "The host did not accept the connection.",
  tls_failed: "The host’s certificate was not accepted.",
  timed_out: "There was no complete answer within 10 seconds.",
  answer_invalid: "The answer was not HTTP.",
  connection_lost: "The connection ended before the answer.",
  no_sender: "This deployment sends no e-mail.",
  too_many_mails: "The organization has had its mails of the day. The next try is on the next day.",
  MessageRejected: "The mail service refused the message.",
};

/** Why a delivery was given up, by the API's name for it. */
const DELIVERY_ERRORS: Readonly<Record<string, string>> = {
  no_tries_left: "All tries of 24 hours failed.",
  failing: "The destination was paused, because each try had failed for 5 days.",
  gone: "The receiver wants no more notifications.",
  paused: "The destination was paused.",
  deleted: "The destination was deleted.",
  unconfirmed: "The address was not confirmed.",
  already_confirmed: "The address has been confirmed by now.",
  empty: "There was nothing left to summarize.",
};

/** A name that is not in the table is shown as it is. */
const sentence = (name: string, table: Readonly<Record<string, string>>): string =>
  Object.hasOwn(table, name) ? (table[name] ?? name) : name;

export const whyGivenUp = (error: string): string => sentence(error, DELIVERY_ERRORS);

/** What became of a try: "Answer 503 after 120 ms." */
export const attemptInWords = ({ status, error, latencyMs }: DeliveryAttempt): string => {
  const after = formatDuration(latencyMs);
  if (status !== undefined) return `Answer ${status} after ${after}.`;
  return error === undefined ? `Accepted after ${after}.` : `${sentence(error, ATTEMPT_ERRORS)} (${after})`;
};

export const isSuccess = ({ error, status }: DeliveryAttempt): boolean =>
  error === undefined && (status === undefined || (status >= 200 && status < 300));

const SOON_MS = 60_000;

/** Whether a delivery changes soon, so that it is worth reading again at once. @param now epoch milliseconds */
export const isUnderWay = ({ status, notBefore }: NotificationDelivery, now: number): boolean =>
  status === "pending" && (notBefore === undefined || notBefore - now < SOON_MS);

/** When something was last delivered, by whichever answer is newer; undefined if nothing was yet. */
export const lastDeliveryOf = (
  { lastDeliveredAt = 0 }: Pick<Destination, "lastDeliveredAt">,
  deliveries: readonly Pick<NotificationDelivery, "status" | "endedAt">[],
): number | undefined => {
  const delivered = deliveries.filter(({ status }) => status === "delivered");
  const last = Math.max(lastDeliveredAt, ...delivered.map(({ endedAt = 0 }) => endedAt));
  return last === 0 ? undefined : last;
};
