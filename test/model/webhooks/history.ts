/**
 * Plays one history, determined by its seed. A provider changes objects; its webhooks come late, twice, in any order or
 * never; sync runs read lists and the feed; calls fail and functions crash at any await. At the end every record must
 * equal the provider's object.
 */
import { isDeepStrictEqual } from "node:util";
import { parseObject } from "../../../shared/provider/stripe/objects.ts";
import type { StoredRecord } from "../../../shared/records/record-item.ts";
import { createTurns } from "../../support/interleaving.ts";
import { createRandom } from "../../support/random.ts";
import { recordsInMemory } from "../../support/records.ts";
import { type WebhookStores, webhooksInMemory } from "./memory-stores.ts";
import { createMortality, type Turns } from "./mortality.ts";
import { render, type SimulatedObject } from "./simulated-objects.ts";
import { createSimulatedProvider, type WireEvent } from "./simulated-provider.ts";
import { createSimulatedSync } from "./simulated-sync.ts";
import { createWorld, ORGANIZATION, type Records, type Sabotage } from "./world.ts";

const CRASH_RATE = 0.02;
const FAIL_RATE = 0.03;
const EARLIER_CHANGES = 8;
/** In a quarter of the histories the provider dates events this far behind its answers. */
const BEHIND_SECONDS = 600;
/** Share of events that come at the end. */
const LATE_RATE = 0.1;

export type HistoryOptions = {
  /** Creates the stores, whose calls wait for turns; in memory by default. */
  storesFor?: (turns: Turns) => { stores: WebhookStores; records: Records };
  sabotage?: Sabotage;
  /** Number of changes at the provider. */
  changes?: number;
};

/** `problem` describes the first difference at the end, if any. */
export type HistoryResult = { problem: string | undefined; events: number; dropped: number; healed: number };

const inMemory = () => ({ stores: webhooksInMemory(), records: recordsInMemory(async () => undefined).store });

/** Describes the difference between an object and its record, if any. */
const problemOf = (object: SimulatedObject, record: StoredRecord | undefined): string | undefined => {
  const name = `${object.type} ${object.id}`;
  if (object.isDeleted) return record?.fields === undefined ? undefined : `${name} was deleted and is there`;
  const wanted = parseObject(object.type, render(object, "basil"), { from: 0, to: 0 });
  if (wanted?.kind !== "state") throw new Error(`${name} cannot be read`);
  const fields = wanted.type === "payments" ? { ...wanted.fields, invoiceId: object.link } : wanted.fields;
  if (record === undefined) return `${name} is missing`;
  if (isDeepStrictEqual(record.fields, fields)) return undefined;
  return `${name} is ${JSON.stringify(record.fields)} and not ${JSON.stringify(fields)}`;
};

export const runHistory = async (seed: number, options: HistoryOptions = {}): Promise<HistoryResult> => {
  const { storesFor = inMemory, sabotage = {}, changes = 18 } = options;
  const turns = createTurns(seed);
  const random = createRandom(seed ^ 0x5bd1e995);
  const { stores, records } = storesFor(turns);
  const provider = createSimulatedProvider(random, seed % 4 === 0 ? BEHIND_SECONDS : 0);
  const mortality = createMortality(turns, random);
  const world = createWorld({ provider, stores, records, turns, mortality, random, sabotage });
  const sync = createSimulatedSync(world, mortality);
  /** In half of the histories some webhooks never come; the feed must replace them. */
  const dropRate = random() < 0.5 ? 0 : 0.25;
  let dropped = 0;
  const undelivered: WireEvent[] = [];
  const actors: Promise<unknown>[] = [];
  let isOver = false;

  const pause = async (most: number) => {
    for (let left = random() * most; left > 1; left--) await turns.pause();
  };

  /** Delivers until one attempt is acknowledged, sometimes once more. */
  const deliver = async (event: WireEvent) => {
    for (let attempts = 0; attempts < 3; attempts++) {
      await pause(attempts === 0 ? 20 : 40);
      if (!(await world.deliver(event))) continue;
      if (random() < 0.2) await world.deliver(event);
      return;
    }
    undelivered.push(event);
  };

  const happen = async () => {
    for (let i = 0; i < changes; i++) {
      await pause(12);
      if (random() < 0.35) provider.clock.seconds += 1 + Math.floor(random() * 3);
      for (const event of provider.happen()) {
        const dice = random();
        if (dice < dropRate) dropped++;
        else if (dice < dropRate + LATE_RATE) undelivered.push(event);
        else actors.push(deliver(event));
      }
    }
  };

  const consume = async () => {
    while (!isOver) {
      await turns.pause();
      const [message] = world.queue.splice(Math.floor(random() * world.queue.length), 1);
      if (message !== undefined) await world.consume(message);
    }
  };

  const syncNowAndThen = async () => {
    await pause(60);
    const runs = Math.floor(random() * 3);
    for (let i = 0; i < runs; i++) {
      await sync.run(random() < 0.3 ? "full" : "incremental");
      await pause(80);
    }
  };

  const handOverNowAndThen = async () => {
    await pause(200);
    await world.handOver();
  };

  const everybody = async () => {
    actors.push(happen(), syncNowAndThen(), handOverNowAndThen());
    for (let i = 0; i < actors.length; i++) await actors[i];
  };

  /** At the end: the provider retries, the hour passes, dead letters are replayed, a run reads the feed. */
  const calmDown = async (): Promise<string | undefined> => {
    mortality.rates.crash = 0;
    mortality.rates.fail = 0;
    provider.clock.seconds += 3_600;
    const isHealedFirst = dropped > 0 && random() < 0.5;
    if (isHealedFirst && !(await sync.run("incremental"))) return "The last run did not succeed";
    for (const event of undelivered) if (!(await world.deliver(event))) return `${event.id} is never acknowledged`;
    await world.handOver();
    world.queue.push(...world.deadLetters.splice(0));
    while (world.queue.length > 0) for (const message of world.queue.splice(0)) await world.consume(message);
    if (world.deadLetters.length > 0) return "A message cannot be processed";
    if (dropped > 0 && !isHealedFirst && !(await sync.run("incremental"))) return "The last run did not succeed";
    return undefined;
  };

  const findProblem = async (): Promise<string | undefined> => {
    for (const object of provider.objects) {
      const problem = problemOf(object, await records.get(ORGANIZATION, object));
      if (problem !== undefined) return problem;
    }
    const waiting = await stores.listPending({ before: Number.MAX_SAFE_INTEGER, limit: 1_000 });
    return waiting.length === 0 ? undefined : `${waiting.length} events wait still`;
  };

  /** In half of the histories objects exist before the account is connected; the first run reads them. */
  const begin = async () => {
    if (random() < 0.5) {
      for (let i = 0; i < EARLIER_CHANGES; i++) provider.happen();
      await sync.run("full");
    }
    mortality.rates.crash = random() < 0.8 ? CRASH_RATE : 0;
    mortality.rates.fail = random() < 0.8 ? FAIL_RATE : 0;
  };

  const main = async (): Promise<string | undefined> => {
    await begin();
    const consumers = [consume(), consume()];
    await everybody();
    isOver = true;
    await Promise.all(consumers);
    return (await calmDown()) ?? (await findProblem());
  };

  let problem: string | undefined;
  await turns.run([
    main().then((found) => {
      problem = found;
    }),
  ]);
  return { problem, events: provider.events.length, dropped, healed: sync.state.healed };
};
