import { describe, expect, it } from "@jest/globals";
import { depth } from "../support/depth.ts";
import { simulate } from "./run-simulate.ts";

describe("the simulation", () => {
  it(`finds no fault with ${depth(100, 400)} seeds`, () => {
    // The default tests have short histories.
    const output = simulate("--seeds", String(depth(100, 400)), "--minutes", String(depth(3, 16)));
    expect(output).toContain(" 0 failed");
  }, 600_000);
});
