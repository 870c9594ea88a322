/**
 * After any changes at the provider, and any delay, repetition and order of their events, the records equal the provider's
 * objects. fast-check prints a failing history with its seed and path, which replay it alone:
 * `fc.assert(…, { seed, path })`.
 */

import { describe, expect, it } from "@jest/globals";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { recordStoresOver, startRecordTable } from "../../support/record-table.ts";
import { recordsInMemory } from "../../support/records.ts";
import { usePerFile } from "../../support/use-started.ts";
import { burst, type Step, steps } from "./provider-history.ts";
import { type History, type Place, runHistory, type Schedule } from "./run-history.ts";

const SEED = 20_261_121;
const HISTORIES_ON_ENGINE = depth(2, 8);

const historyOf = (happening: fc.Arbitrary<Step[]>): fc.Arbitrary<History> =>
  fc.record({
    steps: happening,
    seed: fc.integer({ min: 0, max: 2 ** 31 }),
    appliers: fc.integer({ min: 1, max: 4 }),
    lists: fc.integer({ min: 0, max: 3 }),
    calm: fc.integer({ min: 1, max: 3 }),
    crashes: fc.integer({ min: 0, max: 10 }),
  });

const check = async (one: History, placeIn: (schedule: Schedule) => Place): Promise<void> => {
  const records = await runHistory(one, placeIn);
  expect(records.map(({ expected: { key }, found }) => ({ ...key, fields: found?.fields, isStored: !!found }))).toEqual(
    records.map(({ expected: { key, fields } }) => ({ ...key, fields, isStored: true })),
  );
  for (const { found } of records) expect(found?.observedAt.from).toBeLessThanOrEqual(found?.observedAt.to ?? 0);
};

describe("records end as the provider's objects", () => {
  const inMemory = ({ random, turn }: Schedule): Place => {
    const { store, of } = recordsInMemory(turn, () => random() < 0.5);
    return { store, find: async (key) => of("o", key) };
  };

  it.each([
    [depth(50, 500), "histories", steps],
    [depth(100, 1_000), "bursts", burst],
  ])(
    "in %i %s in memory, where reads may be stale and functions crash at any await",
    async (numRuns, _what, happening) => {
      await fc.assert(
        fc.asyncProperty(historyOf(happening), (one) => check(one, inMemory)),
        { seed: SEED, numRuns },
      );
    },
  );

  describe("on a real engine", () => {
    const table = usePerFile(startRecordTable);

    it(`in ${HISTORIES_ON_ENGINE} histories`, async () => {
      const onEngine = ({ turns, turn }: Schedule): Place => {
        const organization = table.newOrganization();
        const client = table.translated();
        turns.delay(client);
        const store = recordStoresOver(client);
        const slow = { get: table.stores().get };
        return {
          store: {
            get: async (_, key) => turn().then(() => store.get(organization, key)),
            getMany: async (_, keys, how) => turn().then(() => store.getMany(organization, keys, how)),
            put: async (_, record, previous) => {
              const isWritten = await store.put(organization, record, previous);
              await turn();
              return isWritten;
            },
          },
          find: (key) => slow.get(organization, key),
        };
      };
      await fc.assert(
        fc.asyncProperty(historyOf(steps), (one) => check(one, onEngine)),
        { seed: SEED, numRuns: HISTORIES_ON_ENGINE },
      );
    });
  });
});
