import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createDeliveredEvents, createWebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { declaredTable } from "../../support/security-tables.ts";
import { type HistoryOptions, runHistory } from "./history.ts";
import type { Turns } from "./mortality.ts";
import type { Sabotage } from "./world.ts";

quietLog();

const HISTORIES = 200;
const EMBEDDED_HISTORIES = 20;
/** Seeds to try until a fault is noticed. */
const MAX_SEEDS = 200;

/** The problems of histories, by seed: `explore.ts --seed N` plays one of them again. */
const problemsOf = async (seeds: readonly number[], options: (seed: number) => HistoryOptions = () => ({})) => {
  const problems: string[] = [];
  for (const seed of seeds) {
    const { problem } = await runHistory(seed, options(seed));
    if (problem !== undefined) problems.push(`seed ${seed}: ${problem}`);
  }
  return problems;
};

const seedsTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe("with any order of webhooks and any crash", () => {
  it(`the records end equal to the provider's objects: ${HISTORIES} histories`, async () => {
    expect(await problemsOf(seedsTo(HISTORIES))).toEqual([]);
  });

  it("a history is the same each time", async () => {
    expect(await runHistory(7)).toEqual(await runHistory(7));
  });
});

describe("on a real engine", () => {
  let database: EmbeddedDynamoDb;
  beforeAll(async () => {
    database = await startEmbeddedDynamoDb();
  });
  afterAll(() => database.stop());

  it(`the records end equal to the provider's objects: ${EMBEDDED_HISTORIES} histories`, async () => {
    const storesIn = (seed: number) => (turns: Turns) => {
      const client = database.documentClient(documentTranslation);
      turns.delay(client);
      const stores = {
        ...createWebhookEventStore(client, `webhooks${seed}`),
        ...createDeliveredEvents(client, `webhooks${seed}`),
      };
      return { stores, records: createRecordStore(client, `records${seed}`) };
    };
    const seeds = seedsTo(EMBEDDED_HISTORIES);
    for (const seed of seeds) {
      await database.createTables(
        declaredTable("TablesWebhookEvents", `webhooks${seed}`),
        declaredTable("TablesRecords", `records${seed}`),
      );
    }
    expect(await problemsOf(seeds, (seed) => ({ storesFor: storesIn(seed), changes: 10 }))).toEqual([]);
  });
});

describe("the histories detect", () => {
  const faults: [string, Sabotage][] = [
    [
      "that events are acknowledged although the bus refused them",
      {
        receive: (parts) => ({
          ...parts,
          bus: { publish: async (events) => (await parts.bus.publish(events)).slice(0, 0) },
        }),
      },
    ],
    [
      "that an event is marked as processed before it is applied",
      {
        process: (parts) => {
          let id = "";
          return {
            ...parts,
            events: {
              ...parts.events,
              read: (organizationId, eventId, now) => {
                id = eventId;
                return parts.events.read(organizationId, eventId, now);
              },
            },
            claimRecords: async (organizationId) => {
              await parts.events.markProcessed({ organizationId, id }, "applied", 1);
              return true;
            },
          };
        },
      },
    ],
    [
      "that an equal state does not update the time of observation",
      {
        process: (parts) => ({
          ...parts,
          apply: (organizationId, observations, options) =>
            parts.apply(organizationId, observations, { ...options, updatesObservedAt: false }),
        }),
      },
    ],
    [
      "that a touched object is not read",
      {
        process: (parts) => ({
          ...parts,
          apply: (organizationId, observations, options) => {
            const states = observations.filter(({ kind }) => kind !== "touched");
            return parts.apply(organizationId, states, options);
          },
        }),
      },
    ],
    [
      "that deletions are ignored",
      {
        process: (parts) => ({
          ...parts,
          apply: (organizationId, observations, options) => {
            const others = observations.filter(({ kind }) => kind !== "deleted");
            return parts.apply(organizationId, others, options);
          },
        }),
      },
    ],
    [
      "that the later delivered of two events in one second wins",
      {
        process: (parts) => ({
          ...parts,
          apply: (organizationId, observations, options) => {
            const claimed = observations.map((one) => ({
              ...one,
              observedAt: { from: 2_000_000_000, to: 2_000_000_000 },
            }));
            return parts.apply(organizationId, claimed, options);
          },
        }),
      },
    ],
    ["that the date of a late event is trusted", { process: (parts) => ({ ...parts, now: () => 0 }) }],
    ["that the sweep treats all events as delivered", { delivered: () => async (_, ids) => new Set(ids) }],
  ];

  it.each(faults)("%s", async (_fault, sabotage) => {
    const isNoticed = async (seed: number) => (await runHistory(seed, { sabotage })).problem !== undefined;
    let seed = 1;
    while (seed <= MAX_SEEDS && !(await isNoticed(seed))) seed++;
    expect(seed).toBeLessThanOrEqual(MAX_SEEDS);
  });
});
