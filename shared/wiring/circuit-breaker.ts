/** The circuit breaker of a deployed function. Each function throws Error if the environment lacks a variable. */

import { createAnnouncer } from "../circuit-breaker/announce.ts";
import { createOutageCheck } from "../circuit-breaker/check-outage.ts";
import { createStatisticsReader } from "../circuit-breaker/circuit-statistics.ts";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createGuard } from "../circuit-breaker/guard.ts";
import { createChangeCircuit, createOperator } from "../circuit-breaker/operator.ts";
import { createOutageStore } from "../circuit-breaker/outage-store.ts";
import { createTransitionRecorder } from "../circuit-breaker/record-transition.ts";
import { createRequestCounter } from "../circuit-breaker/request-counter.ts";
import { createStatisticsStore } from "../circuit-breaker/statistics-store.ts";
import type { SweepAnnouncementsDependencies } from "../circuit-breaker/sweep-announcements.ts";
import { createConnectedStore } from "../connection/connection-store.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { wireRecorder } from "./recorder.ts";

const wireStores = () => {
  return {
    connectedOrganizations: createConnectedStore(openTable("connections")).countConnected,
    store: createCircuitStore(openTable("circuits")),
    statisticsStore: createStatisticsStore(openTable("circuits")),
  };
};

/** For functions that only read: the next guarded call or operator publishes overdue transitions. */
export const wireStatisticsReader = () =>
  createStatisticsReader({ ...wireStores(), announcer: { announceOverdue: () => undefined }, clock });

const wireChanging = () => {
  const { store, statisticsStore, connectedOrganizations } = wireStores();
  const { EVENT_BUS_NAME } = readConfig(["EVENT_BUS_NAME"]);
  const outages = createOutageStore(openTable("circuits"));
  const recorder = wireRecorder();
  const bus = createEventBus(eventBusClient, EVENT_BUS_NAME);
  const checkOutage = createOutageCheck({ circuits: store, outages, connectedOrganizations, recorder, clock });
  const onTransition = createTransitionRecorder({ recorder, bus, checkOutage });
  return {
    store,
    statisticsStore,
    statistics: createRequestCounter({ store: statisticsStore, clock }),
    announcer: createAnnouncer({ store, onTransition, clock }),
    checkOutage,
    clock,
  };
};

/** The circuit breaker around every call to the provider. */
export const wireGuard = () => createGuard(wireChanging());

/** Announces overdue transitions every hour. */
export const wireSweepAnnouncements = (): SweepAnnouncementsDependencies => {
  const { connectedOrganizations } = createConnectedStore(openTable("connections"));
  return { ...wireChanging(), connectedOrganizations };
};

/** POST …/circuit-breaker. */
export const wireChangeCircuit = () => createChangeCircuit({ operator: createOperator(wireChanging()), clock });
