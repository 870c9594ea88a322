/** The queue of received webhooks, as the infrastructure creates it and the processing of events counts on it. */

/**
 * How often a message is received before it becomes a dead letter. The receives are six minutes apart, so that takes an
 * hour. docs/webhooks.md, "Nothing is lost".
 */
export const WEBHOOK_RECEIVES = 10;
