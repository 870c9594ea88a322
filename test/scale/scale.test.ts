import { describe, expect, it } from "@jest/globals";
import { scaleCases } from "./cases.ts";

// `npm run scale` plays a million.
describe.each(Object.entries(scaleCases))("%s of 1,000 organizations", (_, { limitMs, run }) => {
  it("ends within its limit, and costs less than 9 read and 9 write units an organization", async () => {
    const { ms, read, write, invocations } = await run(1_000);
    expect(ms).toBeLessThan(limitMs);
    expect(invocations).toBeLessThanOrEqual(8);
    expect(Math.max(read, write)).toBeLessThan(9_000);
  });
});
