/**
 * POST {webhook URL}/{organizationId}: takes the provider's webhooks; their signature is the authentication.
 * Answers: docs/webhooks.md, "Answers".
 */
import { SIGNATURE_HEADER } from "../../shared/provider/stripe/verify-signature.ts";
import { createWebhookHandler } from "../../shared/webhooks/create-webhook-handler.ts";
import { wireReceive } from "../../shared/wiring/webhooks.ts";

export const handler = createWebhookHandler(wireReceive(), SIGNATURE_HEADER);
