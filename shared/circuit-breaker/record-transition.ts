/**
 * What every transition leaves: exactly one security event, at least one bus event with the same id, and the check
 * whether half of all circuits opened by themselves (check-outage.ts). docs/circuit-breaker.md, "Transitions".
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { addressOf, type Origin } from "../terms/requester.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import type { OnTransition } from "./announce.ts";
import { type Cause, operatorActions, type Transition } from "./circuit.ts";

export const CIRCUIT_EVENT_TYPE = "CircuitChanged";

/** The detail of the bus event. A version may gain fields, but never loses or changes one. */
export const CircuitChanged = z.object({
  version: z.literal(1),
  /** The id of the security event. Two bus events with the same id are the same transition. */
  id: z.string(),
  organizationId: z.string(),
  generation: z.number(),
  from: z.string(),
  to: z.string(),
  /** Epoch ms. */
  at: z.number(),
  cause: z.string(),
});
export type CircuitChanged = z.output<typeof CircuitChanged>;

const riskByCause: Record<Cause, RiskLevel> = {
  failures: "HIGH",
  probe_failed: "HIGH",
  recovery_timeout: "LOW",
  probes_succeeded: "LOW",
  probes_lost: "LOW",
  until_passed: "LOW",
  reset: "MEDIUM",
  force_open: "MEDIUM",
  force_close: "MEDIUM",
};

/** The action of an automatic transition, by its new state. An operator's has the name of the operator's action. */
const automaticActions = {
  closed: "close",
  open: "open",
  half_open: "half_open",
  forced_open: "open",
  forced_closed: "close",
} as const;

const eventOfTransition = (transition: Transition, origin: Origin | undefined): NewSecurityEvent => {
  const { organizationId, generation, from, to, cause, by, reason } = transition;
  const isOperators = operatorActions.some((action) => action === cause);
  return {
    organizationId,
    eventType: "CIRCUIT_BREAKER_CHANGED",
    // Auditors read operators' actions, and operators read automatic transitions.
    category: isOperators ? "compliance" : "system",
    riskLevel: riskByCause[cause],
    source: isOperators ? "user" : "system",
    ...definedFields({ userId: by }),
    ...(origin && addressOf(origin)),
    resource: "circuit",
    resourceType: "circuit_breaker",
    action: isOperators ? cause : automaticActions[to],
    success: cause !== "failures" && cause !== "probe_failed",
    metadata: { generation, from, to, cause, ...definedFields({ reason }) },
  };
};

type TransitionDependencies = {
  recorder: Pick<Recorder, "record">;
  bus: Pick<EventBus, "publish">;
  checkOutage: () => Promise<void>;
};

/** Rejects if the event bus does not accept the transition. */
export const createTransitionRecorder =
  ({ recorder, bus, checkOutage }: TransitionDependencies): OnTransition =>
  async (transition, origin) => {
    const { organizationId, generation, from, to, at, cause } = transition;
    const identity = identityOf("transition", organizationId, generation);
    await recorder.record(eventOfTransition(transition, origin), { timestamp: at, identity });
    const id = eventId(at, identity);
    const detail: CircuitChanged = { version: 1, id, organizationId, generation, from, to, at, cause };
    const unpublished = await bus.publish([{ source: EVENT_SOURCE, detailType: CIRCUIT_EVENT_TYPE, detail }]);
    if (unpublished.length > 0) throw new Error("Publishing a circuit's transition failed.");
    // Half-open neither starts nor ends an outage; the result of the probes does.
    if (to !== "half_open") await checkOutage();
  };
