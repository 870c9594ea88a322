/** Visits every reachable world of a scenario once and stops at the first broken invariant. */
import { operatorUpdate } from "../../../shared/circuit-breaker/operator-updates.ts";
import { type Item, rendered } from "../../support/expressions.ts";
import { createIntern, type Intern, sortedText } from "./intern.ts";
import {
  afterCommand,
  afterWrite,
  agreesWithReducer,
  circuitOf,
  type Finding,
  hasWayOut,
  Violation,
} from "./invariants.ts";
import { createSteps, type Steps } from "./steps.ts";
import { type Mutation, organizationId, type Scenario, type Truth, type World } from "./world.ts";

/** `isComplete`: nothing was left unvisited. */
export type Report = { states: number; steps: number; isComplete: boolean; finding?: Finding };

const nothing: Truth = {
  failures: [],
  admitted: [],
  succeeded: [],
  leases: {},
  lastLease: 0,
  openUntil: 0,
  operated: [],
  announced: [],
  isConnected: false,
};

/** Applies the writes before the scenario with the same expressions. @throws Violation if a write is refused */
const beginning = (scenario: Scenario, steps: Steps): { item: Item | null; truth: Truth } => {
  let item: Item | null = null;
  let truth = nothing;
  for (const write of scenario.before ?? []) {
    const before = circuitOf(item);
    const isAutomatic = "kind" in write;
    const expressions = isAutomatic
      ? steps.expressionsOf(write)
      : steps.mutated("operate", rendered(operatorUpdate(organizationId, write)));
    const updated: Item | undefined = steps.updated(expressions, item);
    if (!updated) throw new Violation("I6", `${scenario.name} cannot begin: ${JSON.stringify(write)} was refused`);
    const after = circuitOf(updated);
    const outcome = isAutomatic && ["count_success", "close"].includes(write.kind) ? "success" : "failure";
    if (isAutomatic) agreesWithReducer(before, write, after, false);
    truth = isAutomatic
      ? afterWrite(truth, write, { before, after, outcome })
      : afterCommand(truth, write, before, after);
    item = updated;
  }
  const generations = Array.from({ length: circuitOf(item).generation }, (_, index) => index + 1);
  return { item, truth: { ...truth, announced: scenario.announces ? [] : generations } };
};

type Visit = { world: World; label: string; from?: Visit };

const traceOf = (visit: Visit | undefined, last: string): string[] => {
  const labels = [last];
  for (let at = visit; at?.from; at = at.from) labels.unshift(at.label);
  return labels;
};

/** A short text that identifies a world. */
const createKey = (items: Intern<Item>) => {
  const truths = createIntern<Truth>();
  const rest = createIntern<object>();
  const copyOf = (copy: Item | null | undefined) => (copy ? items.numberOf(copy) : copy === null ? "-" : "");
  return (world: World): string => {
    world.truth = truths.intern(world.truth);
    const { item, tick, callers, commands, repeated, strays, losses, crashes, wild, calls, truth } = world;
    const { connections, connecting } = world;
    const each = callers.map((caller) => `${caller.callsLeft},${copyOf(caller.copy)},${rest.numberOf(caller.step)}`);
    const network = strays.length > 0 || repeated ? rest.numberOf({ strays, repeated }) : "";
    const connection = connecting ? rest.numberOf(connecting) : 0;
    const budgets = `${tick},${commands.length},${connections.length},${connection},${losses},${crashes},${wild},${calls}`;
    return `${copyOf(item)}|${truths.numberOf(truth)}|${budgets}|${each.join("|")}|${network}`;
  };
};

/** @param maxStates ends the search, because mutants may have infinitely many states */
export const explore = (scenario: Scenario, options: { mutation?: Mutation; maxStates?: number } = {}): Report => {
  const { mutation, maxStates = 5_000_000 } = options;
  const items = createIntern<Item>(sortedText);
  const steps = createSteps(scenario, items, mutation);
  const startingWith = (before: { item: Item | null; truth: Truth }): World => ({
    ...before,
    tick: 0,
    callers: scenario.callers.map(({ skew = 0, calls = 1 }) => ({ skew, callsLeft: calls, step: { at: "idle" } })),
    commands: [...(scenario.commands ?? [])],
    connections: [...(scenario.connections ?? [])],
    strays: [],
    losses: scenario.losses ?? 0,
    crashes: scenario.crashes ?? 0,
    wild: scenario.wild ?? 0,
    calls: 0,
  });
  const keyOf = createKey(items);
  const seen = new Set<string>();
  const judged = new WeakSet<Item>();
  const pending: Visit[] = [];
  let count = 0;
  const broken = (visit: Visit | undefined, error: unknown, last: string): Report => {
    if (!(error instanceof Violation)) throw error;
    const finding = { invariant: error.invariant, message: error.message, trace: traceOf(visit, last) };
    return { states: seen.size, steps: count, isComplete: false, finding };
  };
  try {
    pending.push({ world: startingWith(beginning(scenario, steps)), label: "start" });
  } catch (error) {
    return broken(undefined, error, "the beginning");
  }
  for (let visit = pending.pop(); visit; visit = pending.pop()) {
    const { world } = visit;
    const state = keyOf(world);
    if (seen.has(state)) continue;
    if (seen.size >= maxStates) return { states: seen.size, steps: count, isComplete: false };
    seen.add(state);
    try {
      if (world.item && !judged.has(world.item)) {
        judged.add(world.item);
        for (const caller of scenario.callers) {
          hasWayOut(world.item, steps.nowOf(world, { skew: caller.skew ?? 0 }), steps.expressionsOf);
        }
      }
      for (const { label, world: next } of steps.next(world)) {
        count++;
        pending.push({ world: next, label, from: visit });
      }
    } catch (error) {
      return broken(visit, error, "then");
    }
  }
  return { states: seen.size, steps: count, isComplete: true };
};
