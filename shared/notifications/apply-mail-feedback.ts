/** What a bounce or a complaint does to its destination. docs/notifications.md, "Bounces and complaints". */
import { writeLog } from "../runtime/log.ts";
import type { PausedDestination } from "./destination-paused.ts";
import { failureOf, isSentTo, type MailFeedback, ownerOf } from "./mail-feedback.ts";
import type { SendingStore } from "./sending-store.ts";

type Dependencies = {
  store: Pick<SendingStore, "readDestination" | "noteFeedback">;
  /** @throws Error if the bus did not take the event. */
  publishPaused(paused: PausedDestination): Promise<void>;
};

/**
 * The returned function notes the failure, and pauses the destination if the failure is final. It does nothing for mails to a
 * former address, and for mails older than the last request to confirm the address: repeated events come late.
 * @throws Error or DomainError `store_unavailable`; then the event may be applied again.
 */
export const createApplyMailFeedback =
  ({ store, publishPaused }: Dependencies) =>
  async (feedback: MailFeedback): Promise<void> => {
    const owner = ownerOf(feedback.tags);
    if (owner === undefined) return;
    const { organizationId, destinationId } = owner;
    const destination = await store.readDestination(organizationId, destinationId);
    if (destination === undefined || destination.status === "paused") return;
    const { target, failingSince, confirmationSentAt = 0 } = destination;
    const at = Date.parse(feedback.at);
    if (!isSentTo(feedback, target) || at < confirmationSentAt) return;
    const { because, isFinal } = failureOf(feedback);
    writeLog("warn", "A mail was not delivered after SES had accepted it", { organizationId, destinationId, because });
    if (isFinal) {
      // The event first: a crash between the two repeats both, and the alert is not lost.
      const reason = "failing";
      await publishPaused({ organizationId, destination, reason, because, failingSince: failingSince ?? at, at });
    }
    await store.noteFeedback(organizationId, destinationId, { at, because, isFinal, target });
  };
