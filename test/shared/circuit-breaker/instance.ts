/** The breaker over one table, with a clock that tests set. */

import { createAnnouncer, type OnTransition } from "../../../shared/circuit-breaker/announce.ts";
import type { Circuit, Transition } from "../../../shared/circuit-breaker/circuit.ts";
import { createStatisticsReader } from "../../../shared/circuit-breaker/circuit-statistics.ts";
import { type CircuitStore, createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createGuard } from "../../../shared/circuit-breaker/guard.ts";
import { createChangeCircuit, createOperator, type OperatorCommand } from "../../../shared/circuit-breaker/operator.ts";
import { createRequestCounter } from "../../../shared/circuit-breaker/request-counter.ts";
import { createStatisticsStore, type StatisticsStore } from "../../../shared/circuit-breaker/statistics-store.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";

export const start = 1_700_000_000_000;

export type TestClock = { now: number; clock: () => number; pass(ms: number): void };

export const testClock = (): TestClock => {
  const time = {
    now: start,
    clock: () => time.now,
    pass: (ms: number) => {
      time.now += ms;
    },
  };
  return time;
};

/** Long enough for the store to answer on a busy machine. */
const PATIENCE_MS = 60_000;

/** Stores without the callers' budgets. Only tests of store failures use the budgets. */
const patientCircuits = (store: CircuitStore): CircuitStore => ({
  ...store,
  read: (organizationId) => store.read(organizationId, PATIENCE_MS),
  write: (organizationId, write) => store.write(organizationId, write, PATIENCE_MS),
});
const patientStatistics = (store: StatisticsStore): StatisticsStore => ({
  ...store,
  add: (key, addition) => store.add(key, addition, PATIENCE_MS),
});

export type Instance = ReturnType<typeof createInstance>;

/**
 * One function instance. `requests`: the names of the commands that it sent to the store.
 * @param options.isPatient false in tests of a slow store.
 */
export const createInstance = (
  database: Pick<EmbeddedDynamoDb, "documentClient">,
  clock: () => number,
  {
    onTransition,
    skewMs = 0,
    isPatient = true,
    connectedOrganizations = async () => 0,
  }: {
    onTransition?: OnTransition;
    skewMs?: number;
    isPatient?: boolean;
    connectedOrganizations?: () => Promise<number>;
  } = {},
) => {
  const client = database.documentClient(documentTranslation);
  const requests: string[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      requests.push(context.commandName ?? "");
      return next(args);
    },
    { step: "initialize", priority: "low" },
  );
  const own = () => clock() + skewMs;
  const transitions: Transition[] = [];
  const circuits = createCircuitStore(createTable(client, "circuits"));
  const store = isPatient ? patientCircuits(circuits) : circuits;
  const counts = createStatisticsStore(createTable(client, "circuits"));
  const statisticsStore = isPatient ? patientStatistics(counts) : counts;
  const statistics = createRequestCounter({ store: statisticsStore, clock: own });
  const announcer = createAnnouncer({
    store,
    clock: own,
    onTransition:
      onTransition ??
      (async (transition) => {
        transitions.push(transition);
      }),
  });
  const shared = { store, statisticsStore, statistics, announcer, clock: own };
  const operator = createOperator(shared);
  return {
    ...shared,
    requests,
    transitions,
    guard: createGuard(shared),
    changeCircuit: createChangeCircuit({ operator, clock: own }),
    operator: {
      /** Resolves after the transition is announced. */
      async operate(organizationId: string, command: OperatorCommand): Promise<Circuit> {
        const { circuit } = await operator.operate(organizationId, command);
        await operator.settle();
        return circuit;
      },
    },
    reader: createStatisticsReader({ ...shared, connectedOrganizations }),
  };
};

export const succeed = async (): Promise<string> => "done";

export const fail = async (): Promise<never> => {
  throw new Error("The provider failed.");
};
