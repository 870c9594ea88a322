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
  it(`finds no fault with ${depth(25, 500)} seeds`, () => {
    expect(simulate("--seeds", String(depth(25, 500)))).toContain(" 0 failed");
  });

  it("replays a seed alone, step by step", () => {
    const [among, alone] = [simulate("--seeds", "3", "--verbose"), simulate("--seed", "3", "--verbose")];
    expect(digestOf(3, alone)).toMatch(/^\w{16}$/);
    expect(digestOf(3, among)).toBe(digestOf(3, alone));
  });
});
