/** What POST …/circuit-breaker takes, and what GET answers. Spec: "Endpoints"; decisions: docs/circuit-breaker.md. */
import * as z from "zod/mini";
import { text } from "../json/text.ts";
import { operatorActions } from "./circuit.ts";
import { GlobalStats, OrganizationStats, OverallHealth } from "./circuit-statistics.ts";

export const REASON_MAX_CHARACTERS = 512;
const ACTION_EXPECTED = `expected one of ${operatorActions.join(", ")}`;
const UNTIL_EXPECTED = "expected epoch milliseconds";
const NO_END_OF_RESET = { error: "expected with force_open and force_close only", path: ["until"] };
/** The last moment that a Date can hold. */
const END_OF_TIME_MS = 8_640_000_000_000_000n;

const until = z
  .pipe(
    z
      .bigint({ error: UNTIL_EXPECTED })
      .check(z.gte(0n, { error: UNTIL_EXPECTED }), z.lte(END_OF_TIME_MS, { error: UNTIL_EXPECTED })),
    z.transform((time: bigint) => Number(time)),
  )
  .register(z.globalRegistry, {
    description: "When the circuit is to be left to itself again, in epoch milliseconds. A reset takes none.",
    override: { type: "integer", minimum: 0 },
  });

export const CircuitAction = z
  .object({
    action: z.enum(operatorActions, { error: ACTION_EXPECTED }),
    reason: z.optional(text(1, REASON_MAX_CHARACTERS, "Why, for those who read it later.")),
    until: z.optional(until),
  })
  .check(z.refine(({ action, until }) => action !== "reset" || until === undefined, NO_END_OF_RESET))
  .register(z.globalRegistry, {
    id: "CircuitAction",
    description: "Holds the circuit open or closed, or gives it back to itself.",
  });
export type CircuitAction = z.output<typeof CircuitAction>;

export const CircuitBreakerReport = z
  .object({ organizationStats: OrganizationStats, globalStats: GlobalStats, overallHealth: OverallHealth })
  .register(z.globalRegistry, {
    id: "CircuitBreakerReport",
    description: "The organization's own circuit, and sums over all organizations.",
  });
