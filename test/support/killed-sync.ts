/** Drives a sync run to its end while its workers are killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { killInstances } from "./instance-processes.ts";
import type { organizationOf, Run } from "./integration.ts";
import type { ServiceUnderTest } from "./service.ts";

const POLL_MS = 200;
/** If nothing is read for this time, the worker has crashed and its event is not delivered again. */
const STALLED_MS = 8_000;
const HOUR_MS = 3_600_000;

type Options = {
  service: Pick<ServiceUnderTest, "advance" | "codeDirectoryOf">;
  organization: Pick<ReturnType<typeof organizationOf>, "runs">;
  /** Numbers of read objects at which to kill, ascending. A number that is passed between two looks is skipped. */
  moments: readonly number[];
  /** From 0 to 1. */
  random: () => number;
  /** See STALLED_MS. */
  stalledMs?: number;
  /** Called after each look at the run. */
  onProgress?: (run: Run, killed: number) => void;
};

const readOf = ({ progress }: Run): number => Object.values(progress).reduce((sum, { read }) => sum + read, 0);

/** Random moments while this many objects are read: one in each equal part. */
export const randomMoments = (count: number, objects: number, random: () => number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(((i + random()) * objects) / count));

/** How often a line with the text was logged. */
export const countLogged = (service: Pick<ServiceUnderTest, "logged">, text: string): number =>
  service.logged().split(text).length - 1;

/**
 * Kills the instances of run-sync at random moments until the newest run has ended. Lambda's retries continue the run;
 * when they are exhausted, the hourly schedule does.
 * @returns the run, the number of kills, and the number of hours that had to pass
 */
export const killUntilEnd = async ({
  service,
  organization,
  moments,
  random,
  stalledMs = STALLED_MS,
  onProgress,
}: Options) => {
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
    else if (performance.now() - last.at > stalledMs && advancing === undefined) {
      hours++;
      // Resolves when everything that the hour's schedules caused has ended, so also the rest of the run.
      const hour = service.advance(HOUR_MS).finally(() => {
        advancing = undefined;
      });
      // If this function fails, its caller stops the service, which ends the hour: that must not hide the failure.
      hour.catch(() => undefined);
      advancing = hour;
      last = { text, at: performance.now() };
    }
    if (readOf(run) >= (moments[killed] ?? Number.POSITIVE_INFINITY)) {
      await sleep(random() * POLL_MS);
      if (killInstances(codeDirectory)) killed++;
    }
    await sleep(POLL_MS);
  }
};
