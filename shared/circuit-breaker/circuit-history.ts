/** The history of an organization's circuit: its transitions, as their security events tell them (record-transition.ts). Pure. */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { epochMs } from "../json/number-fields.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { causes, storedStates } from "./circuit.ts";

const described = (description: string) => z.string().register(z.globalRegistry, { description });

export const CircuitTransition = z
  .object({
    id: described("The id of its security event."),
    at: epochMs("when it happened."),
    from: z.optional(z.enum(storedStates)),
    to: z.optional(z.enum(storedStates)),
    cause: z.optional(z.enum(causes)),
    by: z.optional(described("The administrator who caused it.")),
    reason: z.optional(described("The reason that the administrator gave.")),
  })
  .register(z.globalRegistry, {
    id: "CircuitTransition",
    description:
      "A change of the circuit's state, or an operator's action. `failures` opened it, `probe_failed` opened it again, `recovery_timeout` let probes through, `probes_succeeded` closed it, `probes_lost` let other probes through, `until_passed` ended a hold; the other causes are operators' actions. `by` and `reason` are absent after an erasure.",
  });
export type CircuitTransition = z.output<typeof CircuitTransition>;

/** Of an event of a later version, or one that was cut or cleaned, the unreadable fields are left out. */
const Metadata = z.object({
  from: z.catch(z.optional(z.enum(storedStates)), undefined),
  to: z.catch(z.optional(z.enum(storedStates)), undefined),
  cause: z.catch(z.optional(z.enum(causes)), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
});

/** @param event of the type CIRCUIT_BREAKER_CHANGED. */
export const transitionOf = ({ id, timestamp, userId, metadata }: SecurityEvent): CircuitTransition => ({
  id,
  at: timestamp,
  ...definedFields({ ...Metadata.safeParse(metadata).data, by: userId }),
});
