/** That an event could not be applied, among the security events: once for each event, however often it is tried. */

import { ProviderError } from "../provider/provider-error.ts";
import { resourceTypeOf } from "../records/record-resource.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { catalogueEntry, type ErrorName } from "../terms/error-catalogue.ts";
import type { WebhookEvent } from "./webhook-event.ts";

const number = (name: ErrorName): string => String(catalogueEntry(name).number);

/** What may be said of an error: ours and the provider's are written to be read, others may hold anything. */
const describe = (error: unknown) => {
  if (error instanceof ProviderError) {
    return { errorCode: error.code ?? number("provider_unavailable"), errorMessage: error.message };
  }
  if (error instanceof DomainError) return { errorCode: number(error.code), errorMessage: error.message };
  return { errorCode: number("internal"), errorMessage: "The service failed. Its log has the reason." };
};

const toEvent = (organizationId: string, event: WebhookEvent, error: unknown): NewSecurityEvent => {
  const [first] = event.observations;
  return {
    eventType: "WEBHOOK_NOT_APPLIED",
    category: "integration",
    riskLevel: "MEDIUM",
    source: "webhook",
    organizationId,
    resource: event.objectId ?? event.accountId,
    resourceType: first === undefined ? "provider_account" : resourceTypeOf[first.type],
    action: "apply_webhook",
    success: false,
    ...describe(error),
    metadata: {
      type: event.type,
      eventId: event.id,
      ...(error instanceof ProviderError && { errorCategory: error.kind }),
    },
  };
};

/**
 * Records failures to apply events. The same event again has the same id, which is stored once: the first failure is
 * what it tells of. Never throws.
 */
export const createFailureRecorder =
  (recorder: Pick<Recorder, "record">) =>
  async (organizationId: string, event: WebhookEvent, error: unknown): Promise<void> => {
    await recorder.record(toEvent(organizationId, event, error), {
      timestamp: event.receivedAt,
      identity: identityOf("webhook_not_applied", organizationId, event.id),
    });
  };
