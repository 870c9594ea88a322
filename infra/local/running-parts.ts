import type { AdvanceClock } from "./advance-clock.ts";
import type { StackModel } from "./core/model.ts";
import type { Denial } from "./gateway/gateway.ts";
import type { Functions } from "./lambda/functions.ts";
import type { ProviderSimulator } from "./provider/simulator.ts";
import type { RunningStack } from "./stack-file.ts";

/** What a local cloud lets its users see and do while it runs. */
export type RunningParts = {
  stack: RunningStack;
  model: StackModel;
  functions: Pick<Functions, "invoke" | "list">;
  advanceClock: AdvanceClock;
  /** Calls that a role did not allow, in order; each was also logged. */
  denials: readonly Denial[];
  /** The account of the simulator that a first look is taken at; none where another server stands in its place. */
  demo: ProviderSimulator["demo"] | undefined;
};
