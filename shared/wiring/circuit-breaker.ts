/** The circuit breaker of a deployed function. Each function throws Error if the environment lacks a variable. */
import { createAnnouncer } from "../circuit-breaker/announce.ts";
import { createStatisticsReader } from "../circuit-breaker/circuit-statistics.ts";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createGuard } from "../circuit-breaker/guard.ts";
import { createChangeCircuit, createOperator } from "../circuit-breaker/operator.ts";
import { createOutageStore } from "../circuit-breaker/outage-store.ts";
import { createOutageCheck, createTransitionRecorder } from "../circuit-breaker/record-transition.ts";
import { createRequestCounter } from "../circuit-breaker/request-counter.ts";
import { createStatisticsStore } from "../circuit-breaker/statistics-store.ts";
import type { SweepAnnouncementsDependencies } from "../circuit-breaker/sweep-announcements.ts";
import { createConnectedStore } from "../connection/connection-store.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { wireRecorder } from "./recorder.ts";

const wireStores = () => {
  const { CIRCUITS_TABLE_NAME, CONNECTIONS_TABLE_NAME } = readConfig(["CIRCUITS_TABLE_NAME", "CONNECTIONS_TABLE_NAME"]);
  return {
    connectedOrganizations: createConnectedStore(documentClient, CONNECTIONS_TABLE_NAME).countConnected,
    store: createCircuitStore(documentClient, CIRCUITS_TABLE_NAME),
    statisticsStore: createStatisticsStore(documentClient, CIRCUITS_TABLE_NAME),
  };
};

/** For functions that only read: the next guarded call or operator publishes overdue transitions. */
export const wireStatisticsReader = () =>
  createStatisticsReader({ ...wireStores(), announcer: { announceOverdue: () => undefined }, clock });

const wireChanging = () => {
  const { store, statisticsStore, connectedOrganizations } = wireStores();
  const { CIRCUITS_TABLE_NAME, EVENT_BUS_NAME } = readConfig(["CIRCUITS_TABLE_NAME", "EVENT_BUS_NAME"]);
  const outages = createOutageStore(documentClient, CIRCUITS_TABLE_NAME);
  const recorder = wireRecorder();
  const bus = createEventBus(eventBusClient, EVENT_BUS_NAME);
  const checkOutage = createOutageCheck({ circuits: store, outages, connectedOrganizations, recorder, clock });
  const onTransition = createTransitionRecorder({ recorder, bus, checkOutage });
  return {
    store,
    statisticsStore,
    statistics: createRequestCounter({ store: statisticsStore, clock }),
    announcer: createAnnouncer({ store, onTransition, clock }),
    clock,
  };
};

/** The circuit breaker around every call to the provider. */
export const wireGuard = () => createGuard(wireChanging());

/** Announces overdue transitions every hour. */
export const wireSweepAnnouncements = (): SweepAnnouncementsDependencies => {
  const { CONNECTIONS_TABLE_NAME } = readConfig(["CONNECTIONS_TABLE_NAME"]);
  const { connectedOrganizations } = createConnectedStore(documentClient, CONNECTIONS_TABLE_NAME);
  return { ...wireChanging(), connectedOrganizations };
};

/** POST …/circuit-breaker. */
export const wireChangeCircuit = () => createChangeCircuit({ operator: createOperator(wireChanging()), clock });
