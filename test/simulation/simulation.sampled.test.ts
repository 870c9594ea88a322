import { describe, expect, it } from "@jest/globals";
import { depth } from "../support/depth.ts";
import { addTrials } from "../support/trials.ts";
import { simulate } from "./run-simulate.ts";

const SEEDS = depth(5, 100);

describe("the simulation", () => {
  it(`finds no fault with ${SEEDS} seeds`, () => {
    // The default tests have short histories. More seeds: npm run simulate -- --seeds 1000
    const output = simulate("--seeds", String(SEEDS), "--minutes", String(depth(2, 16)));
    const [, tried, failed] = /^(\d+) simulations of .* (\d+) failed$/m.exec(output) ?? [];
    // A simulation ends at its first problem, which its output names.
    const counts = { tried: Number(tried), lost: 0, doubled: 0, leaked: 0, failed: Number(failed) };
    addTrials({ name: "simulations of the whole service", ...counts });
    expect(output).toContain(" 0 failed");
  });
});
