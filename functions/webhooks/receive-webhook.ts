/**
 * POST {webhook URL}/{organizationId} and POST {webhook URL}/-/platform: receive the provider's webhooks; the signature
 * authenticates them.
 * Answers: docs/webhooks.md, "Answers".
 */

import { createWebhookHandler } from "../../shared/http/webhook-handler.ts";
import { SIGNATURE_HEADER } from "../../shared/provider/stripe/verify-signature.ts";
import { wireReceivers } from "../../shared/wiring/webhooks.ts";

export const handler = createWebhookHandler(wireReceivers(), SIGNATURE_HEADER);
