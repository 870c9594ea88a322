/** What of the circuit breaker is read, in a deployed function. Both throw Error where the environment lacks a variable. */
/** What changes circuits, in a deployed function. */

import { createAnnouncer } from "../circuit-breaker/announce.ts";
import { type ChangeCircuit, createChangeCircuit } from "../circuit-breaker/change-circuit.ts";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createGuard, type GuardDependencies } from "../circuit-breaker/guard.ts";
import { createOperator } from "../circuit-breaker/operator.ts";
import { createOutageCheck } from "../circuit-breaker/outage.ts";
import { createOutageStore } from "../circuit-breaker/outage-store.ts";
import { createStatisticsReader } from "../circuit-breaker/read-statistics.ts";
import { createTransitionRecorder } from "../circuit-breaker/record-transition.ts";
import { createStatistics } from "../circuit-breaker/statistics.ts";
import { createStatisticsStore } from "../circuit-breaker/statistics-store.ts";
import { createConnectedStore } from "../connection/connected-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import type { Origin } from "../terms/requester.ts";
import { wireRecorder } from "./recorder.ts";

export const wireCircuitStores = () => {
  const { CIRCUITS_TABLE_NAME, CONNECTIONS_TABLE_NAME } = readConfig(["CIRCUITS_TABLE_NAME", "CONNECTIONS_TABLE_NAME"]);
  return {
    connectedOrganizations: createConnectedStore(documentClient, CONNECTIONS_TABLE_NAME).countConnected,
    store: createCircuitStore(documentClient, CIRCUITS_TABLE_NAME),
    statisticsStore: createStatisticsStore(documentClient, CIRCUITS_TABLE_NAME),
    outages: createOutageStore(documentClient, CIRCUITS_TABLE_NAME),
  };
};

/** What readers need: nothing that writes. */
export const wireStatisticsReader = () =>
  createStatisticsReader({
    ...wireCircuitStores(),
    // A transition that nobody told of is left to the next who calls or operates: reading changes nothing.
    announcer: { announceOverdue: () => undefined },
    clock: systemClock,
  });

const clock = systemClock;

/** @param origin where the operator's request under way came from. */
const wireChanging = (origin: () => Origin | undefined = () => undefined) => {
  const { store, statisticsStore, outages, connectedOrganizations } = wireCircuitStores();
  const recorder = wireRecorder();
  const bus = createEventBus(eventBusClient, readConfig(["EVENT_BUS_NAME"]).EVENT_BUS_NAME);
  const checkOutage = createOutageCheck({ circuits: store, outages, connectedOrganizations, recorder, clock });
  const onTransition = createTransitionRecorder({ recorder, bus, checkOutage, origin });
  return {
    store,
    statisticsStore,
    statistics: createStatistics({ store: statisticsStore, clock }),
    announcer: createAnnouncer({ store, onTransition, clock }),
    clock,
  };
};

/** The guard that every call of the provider runs through. @throws Error where the environment lacks a variable. */
export const wireGuard = (options: Partial<Pick<GuardDependencies, "classifyError" | "timeoutMs">> = {}) =>
  createGuard({ ...wireChanging(), ...options });

const wireOperator = (origin: () => Origin | undefined) => createOperator(wireChanging(origin));

/** What operators' requests do. @throws Error where the environment lacks a variable. */
export const wireChangeCircuit = (): ChangeCircuit => {
  let origin: Origin | undefined;
  const change = createChangeCircuit({
    operator: wireOperator(() => origin),
    statistics: wireStatisticsReader(),
    now: clock,
  });
  return (action, by) => {
    // An instance serves one request at a time; the events of what it changes name where that came from.
    origin = by.origin;
    return change(action, by);
  };
};
