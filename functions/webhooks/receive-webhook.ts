/**
 * POST {webhook URL}/{organizationId}: receives the provider's webhooks; the signature authenticates them.
 * Answers: docs/webhooks.md, "Answers".
 */
import { SIGNATURE_HEADER } from "../../shared/provider/stripe/verify-signature.ts";
import { createWebhookHandler } from "../../shared/webhooks/webhook-handler.ts";
import { wireReceive } from "../../shared/wiring/webhooks.ts";

export const handler = createWebhookHandler(wireReceive(), SIGNATURE_HEADER);
