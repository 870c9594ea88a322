/** What of the circuit breaker is read, in a deployed function. Both throw Error where the environment lacks a variable. */
import { createConnectedStore } from "../connection/connected-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createCircuitStore } from "./circuit-store.ts";
import { createOutageStore } from "./outage-store.ts";
import { createStatisticsReader } from "./read-statistics.ts";
import { createStatisticsStore } from "./statistics-store.ts";

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
