/**
 * The stored circuit: one item per organization, about 0.5 KB, without expiry. Its attributes are the fields of
 * `Circuit` (circuit.ts), except:
 *
 * - `id`: partition key (circuit-keys.ts); `organizationId`.
 * - `failedAt1` … `failedAt4`, `failedCall1` … `failedCall4`: times and call ids of the last failures of a closed
 *   generation, oldest first; 0 and "" if there were fewer.
 * - `starts`: without the generation, which follows from the position.
 * - `operatorActionId`: the last operator action; ids sort by time.
 * - `ou`: `until`; `sh`: partition of the index `notClosed`, present only while the circuit is open, half-open or held
 *   open. These two are the index entry; circuit-keys.ts has the reason for their names.
 * - `openShard`, `heldShard`: `sh` of an open and of a held circuit, present only while the organization is connected
 *   (connection-mark-store.ts). An item with only these two is a circuit of generation 0.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { type Circuit, type CircuitHistory, type CircuitState, causes, noCounts, storedStates } from "./circuit.ts";

const time = z.int();
const count = z.int().check(z.nonnegative());

const Start = z.object({
  to: z.enum(storedStates),
  cause: z.enum(causes),
  at: time,
  by: z.optional(z.string()),
  reason: z.optional(z.string()),
});

const history = {
  generation: count,
  starts: z.optional(z.array(Start)),
  announced: z.optional(count),
  openings: z.optional(count),
  lastFailureAt: z.optional(time),
  baseline: z.optional(z.object({ total: count, failed: count, rejected: count })),
};

const failedAt = z.optional(time);
const failedCall = z.optional(z.string());

const CircuitItem = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("closed"),
    ...history,
    failedAt1: failedAt,
    failedAt2: failedAt,
    failedAt3: failedAt,
    failedAt4: failedAt,
    failedCall1: failedCall,
    failedCall2: failedCall,
    failedCall3: failedCall,
    failedCall4: failedCall,
  }),
  z.object({ state: z.literal("open"), ...history, ou: time, sh: z.string() }),
  z.object({
    state: z.literal("half_open"),
    ...history,
    ou: time,
    sh: z.string(),
    permits: z.record(z.string(), time),
    successes: count,
    leasedUntil: time,
  }),
  z.object({ state: z.literal("forced_open"), ...history, ou: z.optional(time), sh: z.string() }),
  z.object({ state: z.literal("forced_closed"), ...history, ou: z.optional(time) }),
]);
type CircuitItem = z.output<typeof CircuitItem>;

const stateOf = (item: CircuitItem): CircuitState => {
  const { state } = item;
  switch (state) {
    case "closed": {
      const slots = [
        [item.failedAt1, item.failedCall1],
        [item.failedAt2, item.failedCall2],
        [item.failedAt3, item.failedCall3],
        [item.failedAt4, item.failedCall4],
      ] as const;
      return { state, failures: slots.flatMap(([at, id]) => (at && id ? [{ at, id }] : [])) };
    }
    case "open":
      return { state, until: item.ou };
    case "half_open": {
      const { ou: until, permits, successes, leasedUntil } = item;
      return { state, until, permits, successes, leasedUntil };
    }
    default:
      return { state, ...definedFields({ until: item.ou }) };
  }
};

const historyOf = (item: CircuitItem): CircuitHistory => {
  const { generation, starts = [], announced = 0, openings = 0, lastFailureAt, baseline = noCounts } = item;
  const firstGeneration = generation - (starts.length - 1);
  return {
    generation,
    starts: starts.map(({ to, cause, at, by, reason }, index) => ({
      generation: firstGeneration + index,
      to,
      cause,
      at,
      ...definedFields({ by, reason }),
    })),
    announced,
    openings,
    ...definedFields({ lastFailureAt }),
    baseline,
  };
};

/** @throws ZodError if the stored item is not a circuit, which is a fault of the product. */
export const parseCircuit = (stored: unknown): Circuit => {
  const item = CircuitItem.parse(stored);
  return { ...historyOf(item), ...stateOf(item) };
};
