import { expect, it } from "@jest/globals";
import { simulate } from "./run-simulate.ts";

const digestOf = (seed: number, output: string): string | undefined =>
  new RegExp(`^seed ${seed}: .*digest (\\w+)$`, "m").exec(output)?.[1];

it("replays a seed alone, step by step", () => {
  const [among, alone] = [simulate("--seeds", "2", "--verbose"), simulate("--seed", "2", "--verbose")];
  expect(digestOf(2, alone)).toMatch(/^\w{16}$/);
  expect(digestOf(2, among)).toBe(digestOf(2, alone));
});
