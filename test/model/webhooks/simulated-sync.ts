/** Sync runs in a simulated world: the product's steps of a run, with checkpoints to resume from after a crash. */

import { createRunLinks } from "../../../shared/sync/payment-links.ts";
import type { RunContext } from "../../../shared/sync/run-context.ts";
import { takeStep } from "../../../shared/sync/run-worker.ts";
import type { ActiveRun } from "../../../shared/sync/sync-item.ts";
import { noProgress, type SyncMode } from "../../../shared/sync/sync-run.ts";
import { newWork } from "../../../shared/sync/sync-work.ts";
import type { Life, Mortality } from "./mortality.ts";
import { ORGANIZATION, type World } from "./world.ts";

/** A run with this many crashes fails. */
const MAX_LIVES = 6;

export const createSimulatedSync = (world: World, mortality: Mortality) => {
  const state: { cursor: RunContext["cursor"]; healed: number; runs: number; isDifferent: boolean } = {
    cursor: undefined,
    healed: 0,
    runs: 0,
    isDifferent: false,
  };
  const pages = new Map<string, string[]>();

  const contextOf = (life: Life): RunContext => {
    const apply = world.applyOf(life);
    const provider = world.providerOf(life);
    const pageIds: RunContext["pageIds"] = {
      put: async ({ runId, type }, page, ids) => void pages.set(`${runId} ${type} ${page}`, [...ids]),
      read: async ({ runId, type }, page) => pages.get(`${runId} ${type} ${page}`) ?? [],
      readAll: async function* ({ runId, type }) {
        yield* [...pages].filter(([name]) => name.startsWith(`${runId} ${type} `)).map(([, ids]) => ids);
      },
    };
    return {
      organizationId: ORGANIZATION,
      provider,
      connectedAt: 0,
      expectsWebhooks: true,
      cursor: state.cursor,
      lastSuccessAt: world.now(),
      apply: async (observations, source) => {
        const options = { reread: provider.readObject, updatesObservedAt: source === "feed" };
        const { written, setAside = [] } = await apply(ORGANIZATION, observations, options);
        return { written, setAside };
      },
      reread: provider.readObject,
      countSetAside: async (run, objects) => {
        if (objects.length > 0) throw new Error("Every object of the simulated provider can be stored.");
        return run;
      },
      withoutSetAside: async (_type, ids) => [...ids],
      pageIds,
      links: createRunLinks(pageIds, ORGANIZATION, world.now),
      listIds: async function* (_organizationId, type) {
        yield* [...world.storedIds.values()].filter((one) => one.type === type);
      },
      delivered: async (ids) => {
        const delivered = await mortality.call(life, () => world.delivered(ORGANIZATION, ids));
        state.healed += ids.length - delivered.size;
        return delivered;
      },
      disconnect: () => Promise.reject(new Error("nothing disconnects")),
      keepLease: async () => undefined,
      isTimeShort: () => false,
      isFresh: true,
      now: world.now,
    };
  };

  /** Works on a run until it has ended, failed or crashed too often. @returns whether it succeeded */
  const run = async (mode: SyncMode): Promise<boolean> => {
    // If the run's report still shows differences, a full run follows.
    const itsMode = state.cursor === undefined || state.isDifferent ? "full" : mode;
    const head = { id: `run${state.runs++}`, trigger: "scheduled", mode: itsMode, startedAt: world.now() } as const;
    let checkpoint: ActiveRun = { ...head, progress: noProgress(), work: newWork(itsMode) };
    for (let lives = 0; lives < MAX_LIVES; lives++) {
      const end = await mortality.live(async (life) => {
        const context = contextOf(life);
        while (checkpoint.work.at.phase !== "done") checkpoint = await takeStep(context, checkpoint);
        return "over";
      });
      if (end === "over") break;
    }
    const { at, failures, next } = checkpoint.work;
    if (at.phase !== "done" || Object.keys(failures).length > 0 || next === undefined) return false;
    state.cursor = next;
    const reports = Object.values(checkpoint.work.completeness);
    if (itsMode === "full") {
      state.isDifferent = reports.some(({ onlyListed, onlyStored }) => onlyListed.length + onlyStored.length > 0);
    }
    return true;
  };

  return { state, run };
};
