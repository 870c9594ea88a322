import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { depth } from "../support/depth.ts";

const SIMULATE = join(import.meta.dirname, "simulate.ts");

/** Plays simulations in a process of their own, because a simulation replaces the clock of its process. */
const simulate = (...options: string[]): string =>
  execFileSync(process.execPath, [SIMULATE, ...options], { encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 });

const digestOf = (seed: number, output: string): string | undefined =>
  new RegExp(`^seed ${seed}: .*digest (\\w+)$`, "m").exec(output)?.[1];

describe("the simulation", () => {
  it(`finds no fault with ${depth(100, 400)} seeds`, () => {
    // The default tests have short histories.
    const output = simulate("--seeds", String(depth(100, 400)), "--minutes", String(depth(4, 16)));
    expect(output).toContain(" 0 failed");
  }, 600_000);

  it("replays a seed alone, step by step", () => {
    const [among, alone] = [simulate("--seeds", "2", "--verbose"), simulate("--seed", "2", "--verbose")];
    expect(digestOf(2, alone)).toMatch(/^\w{16}$/);
    expect(digestOf(2, among)).toBe(digestOf(2, alone));
  });
});
