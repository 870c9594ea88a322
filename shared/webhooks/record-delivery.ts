/**
 * What deliveries leave among the security events: each genuine one an event, forged ones up to a bound per address
 * and organization (shared/security/flood.ts). docs/webhooks.md, "Security events".
 */

import type { Clock } from "../runtime/clock.ts";
import type { DomainError } from "../runtime/domain-error.ts";
import { createFloodCounter } from "../security/flood.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import type { Origin } from "../terms/requester.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";

/** A delivery whose signature verified. */
export type GenuineDelivery = {
  organizationId: string;
  accountId: string;
  origin: Origin;
  durationMs: number;
  /** The event, where the payload is one. */
  event?: { id: string; type: string };
  /** Whether it was stored before. */
  isRepeated?: boolean;
  /** The event names another account than the connection's. */
  isForeign?: boolean;
  /** Why it was not accepted. */
  error?: DomainError;
};

/** A delivery that nobody vouches for. The organization is the one of the address, where that has webhooks. */
export type ForgedDelivery = { organizationId: string | undefined; origin: Origin; error: DomainError };

type Fields = Pick<NewSecurityEvent, "source" | "resourceType" | "action" | "ipAddress" | "organizationId">;

const fieldsOf = (organizationId: string | undefined, { ipAddress, userAgent }: Origin): Fields => ({
  source: "webhook",
  ...(organizationId !== undefined && { organizationId }),
  ipAddress,
  ...(userAgent !== undefined && { userAgent }),
  resourceType: "provider_account",
  action: "receive_webhook",
});

const failureOf = ({ code, message }: DomainError) => ({
  success: false,
  errorCode: String(catalogueEntry(code).number),
  errorMessage: message,
});

/** What we fail at ourselves is worth a look; a genuine payload that is no event is not. */
const riskOf = (error: DomainError | undefined): RiskLevel =>
  error !== undefined && catalogueEntry(error.code).status >= 500 ? "MEDIUM" : "LOW";

const toEvent = (delivery: GenuineDelivery): NewSecurityEvent => {
  const { organizationId, accountId, origin, durationMs, event, isRepeated, isForeign, error } = delivery;
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
      ...(event !== undefined && { type: event.type, eventId: event.id }),
      ...(isRepeated !== undefined && { repeated: isRepeated }),
      ...(isForeign === true && { otherAccount: true }),
    },
  };
};

export type DeliveryRecorder = ReturnType<typeof createDeliveryRecorder>;

/** Records deliveries for one instance of a function. Never throws. */
export const createDeliveryRecorder = (recorder: Pick<Recorder, "record">, now: Clock) => {
  const countForged = createFloodCounter();

  return {
    async genuine(delivery: GenuineDelivery): Promise<void> {
      await recorder.record(toEvent(delivery));
    },

    async forged({ organizationId, origin, error }: ForgedDelivery): Promise<void> {
      const verdict = countForged(`${origin.ipAddress} ${organizationId ?? ""}`, undefined, now());
      if (verdict.record === "nothing") return;
      const event: NewSecurityEvent = {
        ...fieldsOf(organizationId, origin),
        eventType: "AUTHENTICATION_FAILURE",
        category: "authentication",
        riskLevel: "HIGH",
        ...failureOf(error),
        metadata: { requestId: origin.requestId },
      };
      if (verdict.record === "single") await recorder.record(event);
      else {
        const { failures } = verdict;
        await recorder.record({
          ...event,
          errorMessage: `At least ${failures} more webhooks from this address were refused.`,
          metadata: { ...event.metadata, failures, isLowerBound: true },
        });
      }
    },
  };
};
