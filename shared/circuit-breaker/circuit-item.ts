/**
 * One item per organization, under 0.5 KB, without expiry (half-open: 3 permits). Names are short, because every
 * write pays for them by the kilobyte:
 *
 * `id` partition key (circuit-keys.ts) · `o` organization · `st` state · `gen` generation · `f1`…`f4`, `j1`…`j4` times
 * and call ids of the last failures of a closed generation, oldest first (0 and "" where there were fewer) · `ou` until
 * when it is open, or an operator holds it · `pm` permit id → end of its lease, 0 once it succeeded · `hs` successes ·
 * `hu` end of the lease given last · `oc` openings in a row · `lf` last failure · `tr` beginnings of the last
 * generations (`s` state, `c` cause, `a` time, `b` by, `r` reason) · `ann` generation announced last · `b` counts at
 * the last reset · `oi` last operator action's id · `sh` partition of the index, only while open or half-open · `cs`, `ch`
 * that partition for an open circuit and for a held one, only while the organization is connected
 * (connection-expressions.ts); an item with nothing else is a circuit of generation 0.
 */
import * as z from "zod/mini";
import { type Circuit, type CircuitHistory, type CircuitState, type GenerationStart, noCounts } from "./circuit.ts";

const states = ["closed", "open", "half_open", "forced_open", "forced_closed"] as const;
const causes = [
  "failures",
  "recovery_timeout",
  "probe_failed",
  "probes_succeeded",
  "probes_lost",
  "until_passed",
  "reset",
  "force_open",
  "force_close",
] as const;

const time = z.int();
const count = z.int().check(z.nonnegative());

const Start = z.object({
  s: z.enum(states),
  c: z.enum(causes),
  a: time,
  b: z.optional(z.string()),
  r: z.optional(z.string()),
});

const history = {
  gen: count,
  tr: z.optional(z.array(Start)),
  ann: z.optional(count),
  oc: z.optional(count),
  lf: z.optional(time),
  b: z.optional(z.object({ t: count, f: count, r: count })),
};

const slot = { time: z.optional(time), id: z.optional(z.string()) };

const CircuitItem = z.discriminatedUnion("st", [
  z.object({
    st: z.literal("closed"),
    ...history,
    f1: slot.time,
    f2: slot.time,
    f3: slot.time,
    f4: slot.time,
    j1: slot.id,
    j2: slot.id,
    j3: slot.id,
    j4: slot.id,
  }),
  z.object({ st: z.literal("open"), ...history, ou: time, sh: z.string() }),
  z.object({
    st: z.literal("half_open"),
    ...history,
    ou: time,
    sh: z.string(),
    pm: z.record(z.string(), time),
    hs: count,
    hu: time,
  }),
  z.object({ st: z.literal("forced_open"), ...history, ou: z.optional(time), sh: z.string() }),
  z.object({ st: z.literal("forced_closed"), ...history, ou: z.optional(time) }),
]);
type CircuitItem = z.output<typeof CircuitItem>;

const stateOf = (item: CircuitItem): CircuitState => {
  switch (item.st) {
    case "closed": {
      const slots = [
        [item.f1, item.j1],
        [item.f2, item.j2],
        [item.f3, item.j3],
        [item.f4, item.j4],
      ] as const;
      return { state: item.st, failures: slots.flatMap(([at, id]) => (at && id ? [{ at, id }] : [])) };
    }
    case "open":
      return { state: item.st, until: item.ou };
    case "half_open":
      return { state: item.st, until: item.ou, permits: item.pm, successes: item.hs, leasedUntil: item.hu };
    default:
      return { state: item.st, ...(item.ou !== undefined && { until: item.ou }) };
  }
};

const historyOf = ({ gen, tr = [], ann = 0, oc = 0, lf, b }: CircuitItem): CircuitHistory => ({
  generation: gen,
  starts: tr.map(
    ({ s, c, a, b: by, r: reason }, index): GenerationStart => ({
      generation: gen - (tr.length - 1 - index),
      to: s,
      cause: c,
      at: a,
      ...(by !== undefined && { by }),
      ...(reason !== undefined && { reason }),
    }),
  ),
  announced: ann,
  openings: oc,
  ...(lf !== undefined && { lastFailureAt: lf }),
  baseline: b ? { total: b.t, failed: b.f, rejected: b.r } : noCounts,
});

/** The beginning of a generation as it lies in the item; its number follows from its place. */
export const startItem = ({ to, cause, at, by, reason }: Omit<GenerationStart, "generation">) => ({
  s: to,
  c: cause,
  a: at,
  ...(by !== undefined && { b: by }),
  ...(reason !== undefined && { r: reason }),
});

/** @throws ZodError where what is stored is no circuit: a bug of ours. */
export const parseCircuit = (stored: unknown): Circuit => {
  const item = CircuitItem.parse(stored);
  return { ...historyOf(item), ...stateOf(item) };
};
