/**
 * What every transition leaves: exactly one security event, whose id follows from organization and generation, and at
 * least once an event of the bus with that id. docs/circuit-breaker.md, "Transitions".
 */
import * as z from "zod/mini";
import type { EventBus } from "../runtime/event-bus.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { EVENT_SOURCE } from "../security/event-source.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { Origin } from "../terms/requester.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import type { OnTransition } from "./announce.ts";
import { type Cause, operatorActions } from "./circuit.ts";
import type { Transition } from "./transition.ts";

export const CIRCUIT_EVENT_TYPE = "CircuitChanged";

/** The detail of the bus event. A detail of the same version only ever gains fields. */
export const CircuitChanged = z.object({
  version: z.literal(1),
  /** The security event's id too: of two with the same id one is a repetition. */
  id: z.string(),
  organizationId: z.string(),
  generation: z.number(),
  from: z.string(),
  to: z.string(),
  /** Epoch milliseconds. */
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

/** What an automatic transition is called: `open`, `half_open`, `close`. An operator's is called as the action. */
const automaticActions = {
  closed: "close",
  open: "open",
  half_open: "half_open",
  forced_open: "open",
  forced_closed: "close",
} as const;

const isOperators = (cause: Cause) => operatorActions.some((action) => action === cause);

/** @param origin where an operator's request came from; of a transition that is told later nobody knows it. */
export const eventOfTransition = (transition: Transition, origin: Origin | undefined): NewSecurityEvent => {
  const { organizationId, generation, from, to, cause, by, reason } = transition;
  return {
    organizationId,
    eventType: "CIRCUIT_BREAKER_CHANGED",
    // An operator's action is for those who audit, an automatic one for those who operate.
    category: isOperators(cause) ? "compliance" : "system",
    riskLevel: riskByCause[cause],
    source: isOperators(cause) ? "user" : "system",
    ...(by !== undefined && { userId: by }),
    ...(origin !== undefined && {
      ipAddress: origin.ipAddress,
      ...(origin.userAgent !== undefined && { userAgent: origin.userAgent }),
    }),
    resource: "circuit",
    resourceType: "circuit_breaker",
    action: isOperators(cause) ? cause : automaticActions[to],
    success: cause !== "failures" && cause !== "probe_failed",
    metadata: { generation, from, to, cause, ...(reason !== undefined && { reason }) },
  };
};

type Parts = {
  recorder: Pick<Recorder, "record">;
  bus: Pick<EventBus, "publish">;
  /** Told after each transition was recorded: an outage may have begun or ended. */
  checkOutage: () => Promise<void>;
  /** Where the request under way came from, if an operator's. */
  origin: () => Origin | undefined;
};

/** Records a transition, once however often it is told. Rejects where the bus did not take it. */
export const createTransitionRecorder =
  ({ recorder, bus, checkOutage, origin }: Parts): OnTransition =>
  async (transition) => {
    const { organizationId, generation, from, to, at, cause } = transition;
    const identity = identityOf("transition", organizationId, generation);
    await recorder.record(eventOfTransition(transition, origin()), { timestamp: at, identity });
    const id = eventId(at, identity);
    const detail: CircuitChanged = { version: 1, id, organizationId, generation, from, to, at, cause };
    const unpublished = await bus.publish([{ source: EVENT_SOURCE, detailType: CIRCUIT_EVENT_TYPE, detail }]);
    if (unpublished.length > 0) throw new Error("The event bus did not take a transition of a circuit.");
    // A try neither makes nor ends an outage: what comes of it will.
    if (to !== "half_open") await checkOutage();
  };
