import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { mutations } from "./mutations.ts";

describe("a planted fault", () => {
  it.each(Object.keys(mutations))("is found: %s", (name) => {
    const options = [join(import.meta.dirname, "simulate.ts"), "--seeds", "400", "--mutation", name];
    const { status, stdout } = spawnSync(process.execPath, options, { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^seed \d+ failed/m);
  });
});
