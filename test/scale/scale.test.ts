import { describe, expect, it } from "@jest/globals";
import { scaleCases } from "./cases.ts";

// `npm run scale` plays a million.
describe.each(Object.entries(scaleCases))("%s of 1,000 organizations", (_, { limitMs, run }) => {
  it("ends within its limit, and costs less than 7 read and 7 write units an organization", async () => {
    const { ms, read, write, invocations } = await run(1_000);
    expect(ms).toBeLessThan(limitMs);
    expect(invocations).toBeLessThanOrEqual(8);
    expect([read, write].every((units) => units < 7_000)).toBe(true);
  });
});
