/** A sync run whose workers are killed on the way, driven to its end. */
import { setTimeout as sleep } from "node:timers/promises";
import { killInstances } from "./instance-processes.ts";
import type { organizationOf, Run } from "./integration.ts";
import type { ServiceUnderTest } from "./service.ts";

const POLL_MS = 200;
/** The worker is gone, and its delivery comes no more, where nothing is read for so long. */
const STALLED_MS = 8_000;
const HOUR_MS = 3_600_000;

type Options = {
  service: ServiceUnderTest;
  organization: Pick<ReturnType<typeof organizationOf>, "runs">;
  /** Kills when so many objects were read, in ascending order; a moment that nobody sees pass is left out. */
  moments: readonly number[];
  /** From 0 to 1. */
  random: () => number;
  /** Told of each look at the run. */
  onProgress?: (run: Run, killed: number) => void;
};

const readOf = ({ progress }: Run): number => Object.values(progress).reduce((sum, { read }) => sum + read, 0);

/** Moments spread over the reading of so many objects, one of each part of it. */
export const randomMoments = (count: number, objects: number, random: () => number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(((i + random()) * objects) / count));

/** How often a line with the text was logged. */
export const countLogged = (service: Pick<ServiceUnderTest, "logged">, text: string): number =>
  service.logged().split(text).length - 1;

/**
 * Kills the instances of run-sync at random moments until the newest run has ended. Lambda's own retries go on with it; where
 * those are exhausted, the hourly schedule does.
 * @returns the run, how often there was an instance to kill, and how often an hour had to pass.
 */
export const killUntilEnd = async ({ service, organization, moments, random, onProgress }: Options) => {
  const codeDirectory = service.codeDirectoryOf("RunSync");
  let killed = 0;
  let hours = 0;
  let last = { text: "", at: performance.now() };
  let advancing: Promise<unknown> | undefined;
  for (;;) {
    const [run] = await organization.runs();
    if (run === undefined) throw new Error("There is no run.");
    onProgress?.(run, killed);
    if (run.status !== "running") {
      await advancing;
      return { run, killed, hours };
    }
    const text = JSON.stringify(run);
    if (text !== last.text) last = { text, at: performance.now() };
    else if (performance.now() - last.at > STALLED_MS && advancing === undefined) {
      hours++;
      // It takes as long as all that the hour's schedules cause: the rest of the run.
      advancing = service.advance(HOUR_MS).finally(() => {
        advancing = undefined;
      });
      last = { text, at: performance.now() };
    }
    if (readOf(run) >= (moments[killed] ?? Number.POSITIVE_INFINITY)) {
      await sleep(random() * POLL_MS);
      if (killInstances(codeDirectory)) killed++;
    }
    await sleep(POLL_MS);
  }
};
