/**
 * Changes a provider's objects while several functions apply the events: shuffled, repeated, late, in batches, beside
 * lists, with crashes. The seed decides the order of all calls.
 */

import { type ApplyOptions, createApply } from "../../../shared/records/apply.ts";
import type { Observation } from "../../../shared/records/observation.ts";
import { recordTypes } from "../../../shared/records/record.ts";
import type { RecordKey, StoredRecord } from "../../../shared/records/record-item.ts";
import type { RecordStore } from "../../../shared/records/record-store.ts";
import { createTurns } from "../../support/interleaving.ts";
import { createRandom } from "../../support/random.ts";
import { createProviderWorld, type Expected, type Step } from "./provider-history.ts";

export type History = {
  steps: readonly Step[];
  seed: number;
  /** How many functions apply events at once. */
  appliers: number;
  /** How often everything is listed concurrently, as by a sync run. */
  lists: number;
  /** Turns of other actors between two steps. */
  calm: number;
  /** Maximum number of crashes. */
  crashes: number;
};

type Store = Pick<RecordStore, "get" | "getMany" | "put">;

/** The store of a history's records. */
export type Place = { store: Store; find: (key: RecordKey) => Promise<StoredRecord | undefined> };

/** The history's turns and random numbers, for its store. */
export type Schedule = { turns: ReturnType<typeof createTurns>; random: () => number; turn: () => Promise<void> };

const CRASH_PROBABILITY = 0.05;
const ORGANIZATION = "o";

/** @returns the expected and the stored records */
export const runHistory = async (
  { steps, seed, appliers, lists, calm, crashes }: History,
  placeIn: (schedule: Schedule) => Place,
): Promise<{ expected: Expected; found: StoredRecord | undefined }[]> => {
  const turns = createTurns(seed);
  const random = createRandom(seed + 1);
  const world = createProviderWorld();
  const pool: Observation[][] = [];
  let isRunning = true;
  let crashesLeft = crashes;

  /** A call of a function, which may crash before the answer. */
  const turn = async () => {
    await turns.pause();
    if (crashesLeft === 0 || random() >= CRASH_PROBABILITY) return;
    crashesLeft--;
    throw new Error("crash");
  };
  const place = placeIn({ turns, random, turn });
  let tokens = 0;
  const apply = createApply({
    store: place.store,
    now: () => world.now() * 1_000,
    newToken: () => `v${++tokens}`,
    pause: turn,
  });
  const reread: ApplyOptions["reread"] = async (type, id) => {
    const from = world.now();
    await turn();
    const answer = world.read({ type, id }, from);
    await turn();
    return answer;
  };

  const deliver = ({ observations, copies }: { observations: Observation[]; copies: number }) => {
    for (let i = 0; i < copies; i++) pool.push(observations);
  };
  const takeFromPool = (): Observation[] => pool.splice(Math.floor(random() * pool.length), 1).flat();

  const live = async () => {
    for (const next of steps) {
      for (let i = 0; i < calm; i++) await turns.pause();
      const event = world.take(next);
      if (event !== undefined) deliver(event);
    }
    for (const { observations } of world.untold()) deliver({ observations, copies: 1 });
    isRunning = false;
  };

  /** Applies all deliveries, some together. After a crash they are delivered again. */
  const applyEvents = async () => {
    while (isRunning || pool.length > 0) {
      await turns.pause();
      const batch: Observation[][] = [];
      while (pool.length > 0 && batch.length < 3 && (batch.length === 0 || random() < 0.3)) batch.push(takeFromPool());
      try {
        await apply(ORGANIZATION, batch.flat(), { reread, updatesObservedAt: true });
      } catch (error) {
        if (!(error instanceof Error && error.message === "crash")) throw error;
        pool.push(...batch);
      }
    }
  };

  const applyLists = async () => {
    for (let i = 0; i < lists; i++) {
      for (const type of recordTypes) {
        const from = world.now();
        await turns.pause();
        const page = world.list(type, from);
        await turns.pause();
        await apply(ORGANIZATION, page, { reread, updatesObservedAt: false }).catch((error: Error) => {
          if (error.message !== "crash") throw error;
        });
      }
    }
  };

  await turns.run([live(), applyLists(), ...Array.from({ length: appliers }, applyEvents)]);
  return Promise.all(world.expected().map(async (expected) => ({ expected, found: await place.find(expected.key) })));
};
