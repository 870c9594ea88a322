/**
 * The security events of webhooks: one for each genuine delivery; forged deliveries up to a limit
 * (shared/security/flood.ts); and one for an event that could not be applied. docs/webhooks.md.
 */
import { PROOF_LIFE_MS } from "../connection/platform-events.ts";
import { definedFields } from "../json/defined-fields.ts";
import { ProviderError } from "../provider/provider-error.ts";
import { resourceTypeOf } from "../records/record.ts";
import { isSetAside, NOT_STORABLE, setAsideReasons } from "../records/set-aside.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { identityOf } from "../security/event-id.ts";
import type { FloodRecorder } from "../security/flood.ts";
import type { Recorder } from "../security/recorder.ts";
import { sanitiseText } from "../security/redaction/redact-and-cut.ts";
import { maxCharacters, type NewSecurityEvent } from "../security/security-event.ts";
import { catalogueEntry, type ErrorName } from "../terms/error-catalogue.ts";
import { addressOf, type Origin } from "../terms/requester.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import type { WebhookEvent } from "./webhook-event.ts";

/** A delivery whose signature verified. */
export type GenuineDelivery = {
  organizationId: string;
  accountId: string;
  origin: Origin;
  durationMs: number;
  /** The event, if the payload is one. */
  event?: { id: string; type: string };
  /** The platform's endpoint received it, not the organization's URL. */
  endpoint?: "platform" | undefined;
  /** Whether the event was stored before. */
  isRepeated?: boolean;
  /** The event names another account than the connection's. */
  isForeign?: boolean;
  /** Why the delivery was not accepted. */
  error?: DomainError;
};

/** A delivery without a valid signature. The organization is the URL's, if it expects webhooks. */
export type ForgedDelivery = { organizationId: string | undefined; origin: Origin; error: DomainError };

/** A connection from which platform events are withheld. `acceptedAt`: when the provider last accepted its API key, epoch ms. */
export type WithheldConnection = {
  organizationId: string;
  connectionId: string;
  accountId: string;
  acceptedAt?: number | undefined;
};

/** How many withheld connections an instance remembers as recorded. Recording one again costs a write. */
const MAX_WITHHELD = 500;

const platformEventsStopped = ({ organizationId, accountId, acceptedAt }: WithheldConnection): NewSecurityEvent => ({
  eventType: "PLATFORM_EVENTS_STOPPED",
  category: "integration",
  riskLevel: "MEDIUM",
  source: "webhook",
  organizationId,
  resource: accountId,
  resourceType: "provider_account",
  action: "withhold_webhooks",
  success: false,
  errorCode: "key_not_accepted",
  errorMessage: "The provider has not accepted the API key for 24 hours, so platform events are withheld.",
  metadata: { method: "api_key", acceptedAt },
});

type Fields = Pick<NewSecurityEvent, "source" | "resourceType" | "action" | "ipAddress" | "organizationId">;

const fieldsOf = (organizationId: string | undefined, origin: Origin): Fields => ({
  source: "webhook",
  ...definedFields({ organizationId }),
  ...addressOf(origin),
  resourceType: "provider_account",
  action: "receive_webhook",
});

const failureOf = ({ code, message }: DomainError) => ({
  success: false,
  errorCode: String(catalogueEntry(code).number),
  errorMessage: message,
});

/** MEDIUM if the service failed; LOW if the payload is not an event. */
const riskOf = (error: DomainError | undefined): RiskLevel =>
  error !== undefined && catalogueEntry(error.code).status >= 500 ? "MEDIUM" : "LOW";

const webhookReceived = (delivery: GenuineDelivery): NewSecurityEvent => {
  const { organizationId, accountId, origin, durationMs, event, endpoint, isRepeated, isForeign, error } = delivery;
  return {
    ...fieldsOf(organizationId, origin),
    eventType: "WEBHOOK_RECEIVED",
    category: "integration",
    resource: accountId,
    riskLevel: riskOf(error),
    ...(error === undefined ? { success: true } : failureOf(error)),
    metadata: {
      requestId: origin.requestId,
      durationMs,
      ...definedFields({ type: event?.type, eventId: event?.id, endpoint, repeated: isRepeated }),
      ...(isForeign === true && { otherAccount: true }),
    },
  };
};

export type DeliveryRecorder = ReturnType<typeof createDeliveryRecorder>;

/** Records deliveries for one instance of a function. Never throws. */
export const createDeliveryRecorder = (recorder: Pick<Recorder, "record">, flood: FloodRecorder) => {
  const withheld = new Set<string>();
  return {
    async genuine(delivery: GenuineDelivery): Promise<void> {
      await Promise.all([recorder.record(webhookReceived(delivery)), flood.countDue()]);
    },

    forged: ({ organizationId, origin, error }: ForgedDelivery): Promise<void> =>
      flood.record({
        ...fieldsOf(organizationId, origin),
        eventType: "AUTHENTICATION_FAILURE",
        category: "authentication",
        riskLevel: "HIGH",
        ...failureOf(error),
        metadata: { requestId: origin.requestId },
      }),

    /**
     * Records once that events no longer reach a connection, at the time from which they do not. A connection of an
     * earlier version has no such time, and gets events again with the next accepted call: it has no event.
     */
    async withheld(connection: WithheldConnection): Promise<void> {
      const { organizationId, connectionId, acceptedAt } = connection;
      const name = [organizationId, connectionId, acceptedAt ?? 0] as const;
      const known = JSON.stringify(name);
      if (acceptedAt === undefined || withheld.has(known)) return;
      const moment = {
        timestamp: acceptedAt + PROOF_LIFE_MS,
        identity: identityOf("platform_events_stopped", ...name),
      };
      await recorder.record(platformEventsStopped(connection), moment);
      if (withheld.size >= MAX_WITHHELD) withheld.clear();
      withheld.add(known);
    },
  };
};

const numberOf = (name: ErrorName): string => String(catalogueEntry(name).number);

/** Messages of domain errors and provider errors may be recorded; other messages may hold anything. */
const describeFailure = (error: unknown) => {
  if (isSetAside(error)) return { errorCode: NOT_STORABLE, errorMessage: setAsideReasons[error.reason] };
  if (error instanceof ProviderError) {
    return { errorCode: error.code ?? numberOf("provider_unavailable"), errorMessage: error.message };
  }
  if (error instanceof DomainError) return { errorCode: numberOf(error.code), errorMessage: error.message };
  return { errorCode: numberOf("internal"), errorMessage: "The service failed. Its log has the reason." };
};

/** Why an event could not be applied, redacted, as deliveries show it. */
export const reasonOf = (error: unknown): string =>
  sanitiseText(describeFailure(error).errorMessage, maxCharacters.errorMessage);

const notApplied = (organizationId: string, event: WebhookEvent, error: unknown): NewSecurityEvent => {
  const first = isSetAside(error) ? error : event.observations[0];
  return {
    eventType: "WEBHOOK_NOT_APPLIED",
    category: "integration",
    riskLevel: "MEDIUM",
    source: "webhook",
    organizationId,
    resource: isSetAside(error) ? error.name : (event.objectId ?? event.accountId),
    resourceType: first === undefined ? "provider_account" : resourceTypeOf[first.type],
    action: "apply_webhook",
    success: false,
    ...describeFailure(error),
    metadata: {
      type: event.type,
      eventId: event.id,
      ...(error instanceof ProviderError && { errorCategory: error.kind }),
      ...(isSetAside(error) && { objectId: error.name }),
    },
  };
};

/**
 * Records that an event could not be applied: once for an event, with the first failure, and once with its first object
 * that is set aside, which an earlier failure of the store must not hide. Never throws.
 */
export const createFailureRecorder =
  (recorder: Pick<Recorder, "record">) =>
  async (organizationId: string, event: WebhookEvent, error: unknown): Promise<void> => {
    await recorder.record(notApplied(organizationId, event, error), {
      timestamp: event.receivedAt,
      identity: identityOf(
        "webhook_not_applied",
        organizationId,
        event.id,
        ...(isSetAside(error) ? ["set_aside"] : []),
      ),
    });
  };
