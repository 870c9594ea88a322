import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIMULATE = join(import.meta.dirname, "simulate.ts");

/** Plays simulations in a process of their own, because a simulation replaces the clock of its process. @returns its output, even if one fails. */
export const simulate = (...options: string[]): string =>
  spawnSync(process.execPath, [SIMULATE, ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1_024 * 1_024,
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "plant-store-compile-cache") },
  }).stdout;
