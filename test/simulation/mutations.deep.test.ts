import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { mutations } from "./mutations.ts";

/** A third of the faults; each is planted alone by `npm run simulate -- --mutation <name> --seeds 400`. */
const planted = Object.keys(mutations).filter((_, index) => index % 3 === 0);

describe("a planted fault", () => {
  it.each(planted)("is found: %s", (name) => {
    const options = [join(import.meta.dirname, "simulate.ts"), "--seeds", "400", "--mutation", name];
    const { status, stdout } = spawnSync(process.execPath, options, { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^seed \d+ failed/m);
  });
});
