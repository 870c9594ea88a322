/** All possible next steps of a world. Each step returns a new world and leaves the old one unchanged. */
import { effectiveState, newCircuit, unannounced } from "../../../shared/circuit-breaker/circuit.ts";
import { writeUpdate } from "../../../shared/circuit-breaker/circuit-updates.ts";
import { connectionUpdate } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import {
  type Admission,
  type CircuitWrite,
  decideAdmission,
  decideResult,
  isLost,
  type Outcome,
  writeKinds,
} from "../../../shared/circuit-breaker/decide.ts";
import { announcedUpdate, operatorUpdate } from "../../../shared/circuit-breaker/operator-updates.ts";
import type { OperatorWrite } from "../../../shared/circuit-breaker/reduce.ts";
import { applyUpdate, type Expressions, InvalidExpression, type Item, rendered } from "../../support/expressions.ts";
import type { Intern } from "./intern.ts";
import {
  afterCommand,
  afterWrite,
  agreesWithReducer,
  circuitOf,
  isMarked,
  isMarkedAsConnected,
  leavesTheCircuit,
  nothingLost,
  nothingUntold,
  notRefusedInVain,
  Violation,
} from "./invariants.ts";
import {
  type Caller,
  type CallResult,
  type Mutation,
  organizationId,
  type Scenario,
  type Step,
  type World,
} from "./world.ts";

export type Next = { label: string; world: World };

const key = { id: "x" };

const nameOf = ({ kind, generation, at, id }: CircuitWrite): string => `${kind} ${generation} ${at} ${id}`;

export type Steps = ReturnType<typeof createSteps>;

/** @param items all items of the exploration, so that an update is worked out once for each. */
export const createSteps = (scenario: Scenario, items: Intern<Item>, mutation?: Mutation) => {
  const mutated = (kind: Mutation["kind"], expressions: Expressions): Expressions =>
    mutation?.kind === kind ? mutation.mutate(expressions) : expressions;
  const built = new Map<string, Expressions>();
  const compared = new Set<string>();
  const expressionsOf = (write: CircuitWrite): Expressions => {
    const name = nameOf(write);
    const expressions = built.get(name) ?? mutated(write.kind, rendered(writeUpdate(organizationId, write)));
    built.set(name, expressions);
    return expressions;
  };
  const nowOf = (world: World, { skew }: Pick<Caller, "skew">) => (scenario.times[world.tick] ?? 0) + skew;

  /** By expressions and item: the same update of the same item is worked out once. */
  const outcomes = new WeakMap<Expressions, Map<Item | null, Item | undefined>>();
  const updated = (expressions: Expressions, item: Item | null): Item | undefined => {
    const known = outcomes.get(expressions) ?? new Map<Item | null, Item | undefined>();
    outcomes.set(expressions, known);
    if (!known.has(item)) known.set(item, workOut(expressions, item));
    return known.get(item);
  };

  const workOut = (expressions: Expressions, item: Item | null): Item | undefined => {
    try {
      const after = applyUpdate(expressions, item ?? undefined, key);
      return after && items.intern(after);
    } catch (error) {
      if (error instanceof InvalidExpression) throw new Violation("I9", `DynamoDB refuses an update: ${error.message}`);
      throw error;
    }
  };

  /** The write reaches the store; the invariants check its effect. */
  const deliver = (world: World, write: CircuitWrite, result?: CallResult) => {
    const before = circuitOf(world.item);
    const item = updated(expressionsOf(write), world.item);
    const after = item && circuitOf(item);
    if (!compared.has(`${items.numberOf(world.item ?? key)} ${nameOf(write)}`)) {
      compared.add(`${items.numberOf(world.item ?? key)} ${nameOf(write)}`);
      agreesWithReducer(before, write, after, mutation === undefined);
    }
    if (!item || !after) return { applied: false, world };
    const truth = afterWrite(world.truth, write, { before, after, ...result });
    return { applied: true, world: { ...world, item, truth } };
  };

  const withCaller = (world: World, index: number, changes: Partial<Caller>): World => ({
    ...world,
    callers: world.callers.map((caller, i) => (i === index ? { ...caller, ...changes } : caller)),
  });
  const withStep = (world: World, index: number, step: Step): World => withCaller(world, index, { step });

  /** The next step of a caller with its copy of the circuit. */
  const ask = (world: World, index: number, copy: Item | null, id: string): World => {
    const caller = world.callers[index] as Caller;
    const circuit = circuitOf(copy);
    const decision = decideAdmission(circuit, nowOf(world, caller), id);
    const known = { ...caller, copy };
    if (decision.do === "refuse") return withCaller(world, index, { ...known, step: idleAfter(copy) });
    if (decision.do === "admit") {
      return withCaller(world, index, { ...known, step: { at: "calling", admission: decision.admission } });
    }
    return withCaller(world, index, { ...known, step: { at: "asking", id, write: decision.write, isRepeat: false } });
  };

  const idleAfter = (copy: Item | null): Step => {
    const untold = scenario.announces ? unannounced(organizationId, circuitOf(copy)).at(-1)?.generation : undefined;
    return untold === undefined ? { at: "idle" } : { at: "announcing", upTo: untold };
  };

  const tell = (
    world: World,
    index: number,
    {
      copy,
      admission,
      outcome,
      mayBeLost = false,
    }: { copy: Item | null; admission: Admission; outcome: Outcome; mayBeLost?: boolean },
  ): World => {
    const caller = world.callers[index] as Caller;
    const now = nowOf(world, caller);
    const write = mayBeLost ? undefined : decideResult(circuitOf(copy), admission, outcome, now);
    if (write === undefined) {
      nothingLost(world.truth, world.item, { admission, outcome, now, mayBeLost });
      return withCaller(world, index, { copy, step: idleAfter(copy) });
    }
    return withCaller(world, index, { copy, step: { at: "telling", admission, outcome, write, isRepeat: false } });
  };

  /** The caller receives the answer to its write and continues. */
  const answered = (world: World, index: number, step: Step, applied: boolean): World => {
    const item = world.item;
    if (step.at === "asking") return ask(world, index, item, step.id);
    if (step.at !== "telling") return world;
    const { admission, outcome, write, isRepeat } = step;
    if (applied) return withCaller(world, index, { copy: item, step: idleAfter(item) });
    const mayBeLost = isLost(write, { applied, circuit: item ? circuitOf(item) : newCircuit, isRepeat });
    return tell(world, index, { copy: item, admission, outcome, mayBeLost });
  };

  const inFlight = (world: World, index: number, step: Step & { at: "asking" | "telling" }): Next[] => {
    const result = step.at === "telling" ? { admission: step.admission, outcome: step.outcome } : undefined;
    const { applied, world: delivered } = deliver(world, step.write, result);
    const isCurrent = !step.isRepeat && world.callers[index]?.copy === world.item;
    notRefusedInVain(applied, { isCurrent, kind: step.write.kind });
    const what = `caller ${index} ${step.write.kind}`;
    const next: Next[] = [
      { label: `${what}: ${applied ? "done" : "refused"}`, world: answered(delivered, index, step, applied) },
    ];
    if (world.losses > 0) {
      const repeat = { ...step, isRepeat: true };
      const losses = world.losses - 1;
      next.push({ label: `${what}: answer lost`, world: withStep({ ...delivered, losses }, index, repeat) });
      if (scenario.delays) {
        const strays = [...world.strays, { write: step.write, ...(result && { result }) }];
        next.push({ label: `${what}: late`, world: withStep({ ...world, losses, strays }, index, repeat) });
      } else next.push({ label: `${what}: request lost`, world: withStep({ ...world, losses }, index, repeat) });
    }
    if (world.crashes > 0) {
      const crashes = world.crashes - 1;
      next.push({
        label: `${what}: done, and the caller dies`,
        world: withStep({ ...delivered, crashes }, index, { at: "dead" }),
      });
    }
    return next;
  };

  const begun = (world: World, index: number, caller: Caller): Next[] => {
    if (caller.callsLeft === 0) return [];
    const calls = world.calls + 1;
    const started = withCaller({ ...world, calls }, index, { callsLeft: caller.callsLeft - 1 });
    const next = [{ label: `caller ${index} asks`, world: ask(started, index, world.item, `c${calls}`) }];
    const { copy } = caller;
    if (scenario.copies && copy !== undefined && copy !== world.item) {
      const isClosed = effectiveState(circuitOf(copy), nowOf(world, caller)).state === "closed";
      if (isClosed) next.push({ label: `caller ${index} uses a copy`, world: ask(started, index, copy, `c${calls}`) });
    }
    return next;
  };

  const announced = (world: World, index: number, caller: Caller, upTo: number): Next[] => {
    const item = caller.copy ?? null;
    const generations = unannounced(organizationId, circuitOf(item)).map(({ generation }) => generation);
    const truth = { ...world.truth, announced: [...new Set([...world.truth.announced, ...generations])].sort() };
    const expressions = mutated("announce", rendered(announcedUpdate(circuitOf(item), upTo)));
    return [
      {
        label: `caller ${index} announces`,
        world: withStep({ ...world, truth }, index, { at: "marking", upTo, expressions }),
      },
    ];
  };

  const marked = (world: World, index: number, { upTo, expressions }: Step & { at: "marking" }): Next[] => {
    const item = updated(expressions, world.item);
    if (item) {
      isMarked(item, upTo);
      const after = withCaller({ ...world, item }, index, { copy: item, step: { at: "idle" } });
      return [{ label: `caller ${index} marks`, world: after }];
    }
    const circuit = circuitOf(world.item);
    const step: Step =
      circuit.announced >= upTo
        ? { at: "idle" }
        : { at: "marking", upTo, expressions: mutated("announce", rendered(announcedUpdate(circuit, upTo))) };
    return [{ label: `caller ${index} may not mark`, world: withCaller(world, index, { copy: world.item, step }) }];
  };

  const ofCaller = (world: World, index: number): Next[] => {
    const caller = world.callers[index] as Caller;
    const { step } = caller;
    const dies: Next[] =
      world.crashes > 0 && step.at !== "idle" && step.at !== "dead"
        ? [
            {
              label: `caller ${index} dies`,
              world: withStep({ ...world, crashes: world.crashes - 1 }, index, { at: "dead" }),
            },
          ]
        : [];
    switch (step.at) {
      case "idle":
        return begun(world, index, caller);
      case "asking":
      case "telling":
        return [...inFlight(world, index, step), ...dies];
      case "calling": {
        const { admission } = step;
        const known = caller.copy ?? null;
        const copy = circuitOf(known).generation >= admission.generation ? known : world.item;
        const ends = scenario.outcomes.map((outcome) => ({
          label: `caller ${index}: ${outcome}`,
          world: tell(world, index, { copy, admission, outcome }),
        }));
        return [...ends, ...dies];
      }
      case "announcing":
        return [...announced(world, index, caller, step.upTo), ...dies];
      case "marking":
        return [...marked(world, index, step), ...dies];
      default:
        return [];
    }
  };

  const command = (world: World, write: OperatorWrite, rest: Partial<World>): World => {
    const before = circuitOf(world.item);
    const item = updated(mutated("operate", rendered(operatorUpdate(organizationId, write))), world.item);
    if (!item) return { ...world, ...rest };
    return { ...world, ...rest, item, truth: afterCommand(world.truth, write, before, circuitOf(item)) };
  };

  /** A transaction that connects or disconnects: it reads the entry and writes if the entry is unchanged. */
  const ofConnection = (world: World): Next[] => {
    const { connecting, ...settled } = world;
    const [isConnected, ...connections] = world.connections;
    if (isConnected === undefined) return [];
    const what = isConnected ? "connecting" : "disconnecting";
    if (connecting === undefined) {
      const shard = typeof world.item?.sh === "string" ? world.item.sh : undefined;
      const expressions = rendered(connectionUpdate(organizationId, isConnected, shard));
      return [{ label: `${what} begins`, world: { ...world, connecting: mutated("connect", expressions) } }];
    }
    const before = circuitOf(world.item);
    const item = updated(connecting, world.item);
    if (!item) return [{ label: `${what} begins again`, world: settled }];
    leavesTheCircuit(before, circuitOf(item));
    const truth = { ...world.truth, isConnected };
    return [{ label: what, world: { ...settled, connections, item, truth } }];
  };

  /** Writes without a decision: the conditions alone must protect the item. */
  const ofNobody = (world: World): Next[] => {
    if (world.wild === 0) return [];
    const { generation } = circuitOf(world.item);
    const { failures, admitted } = world.truth;
    const ids = ["w", ...new Set([...failures.slice(-4).map(({ id }) => id), ...admitted])];
    return writeKinds.flatMap((kind) =>
      [generation, generation - 1].flatMap((decidedUpon) =>
        ids.flatMap((id) => {
          const write = { kind, generation: decidedUpon, at: scenario.times[world.tick] ?? 0, id };
          const outcome = kind === "reopen" ? "failure" : kind === "return_permit" ? "neutral" : "success";
          const admission = { id, generation: decidedUpon, isProbe: true };
          const { applied, world: after } = deliver(world, write, { admission, outcome });
          if (!applied) return [];
          return [{ label: `out of nowhere: ${kind} of ${id}`, world: { ...after, wild: world.wild - 1 } }];
        }),
      ),
    );
  };

  const ofOperators = (world: World): Next[] => {
    const { repeated, ...settled } = world;
    if (repeated) return [{ label: "the operator's request again", world: command(settled, repeated, {}) }];
    const [first, ...commands] = world.commands;
    if (!first) return [];
    const baseline = { total: 3, failed: 2, rejected: 1 };
    const id = `o${commands.length}`;
    const write = { ...first, at: scenario.times[world.tick] ?? 0, id, by: "alice", baseline };
    const next = [{ label: `operator: ${first.action}`, world: command(world, write, { commands }) }];
    if (world.losses > 0) {
      const rest = { commands, repeated: write, losses: world.losses - 1 };
      next.push({ label: `operator: ${first.action}, answer lost`, world: command(world, write, rest) });
    }
    return next;
  };

  return {
    expressionsOf,
    updated,
    mutated,
    nowOf,

    /** All worlds one step away. @throws Violation if a step breaks an invariant */
    next(world: World): Next[] {
      const { tick, strays } = world;
      const all: Next[] = [];
      for (const index of world.callers.keys()) all.push(...ofCaller(world, index));
      all.push(...ofOperators(world), ...ofConnection(world), ...ofNobody(world));
      for (const [index, { write, result }] of strays.entries()) {
        const rest = strays.filter((_, i) => i !== index);
        const { world: delivered } = deliver({ ...world, strays: rest }, write, result);
        all.push({ label: `the late ${write.kind} arrives`, world: delivered });
      }
      if (tick + 1 < scenario.times.length) all.push({ label: "time passes", world: { ...world, tick: tick + 1 } });
      if (scenario.announces) for (const one of all) nothingUntold(one.world.truth, one.world.item);
      for (const one of all) isMarkedAsConnected(one.world.truth, one.world.item);
      return all;
    },
  };
};
