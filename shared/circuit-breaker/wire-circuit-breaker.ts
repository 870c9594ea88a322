/** What changes circuits, in a deployed function. */
import type { Origin } from "../api/origin.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createAnnouncer } from "./announce.ts";
import { type ChangeCircuit, createChangeCircuit } from "./change-circuit.ts";
import { createGuard, type GuardDependencies } from "./guard.ts";
import { createOperator } from "./operator.ts";
import { createOutageCheck } from "./outage.ts";
import { createTransitionRecorder } from "./record-transition.ts";
import { createStatistics } from "./statistics.ts";
import { wireCircuitStores, wireStatisticsReader } from "./wire-statistics-reader.ts";

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
