import { describe, expect, it } from "@jest/globals";
import { readOnce } from "../../../shared/runtime/read-once.ts";

describe("a value that is read once", () => {
  it("is read at the first call, and never again", async () => {
    let reads = 0;
    const value = readOnce(async () => ++reads);
    expect(reads).toBe(0);
    expect([await value(), await value()]).toEqual([1, 1]);
    expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  });

  it("is read once for concurrent first calls", async () => {
    let reads = 0;
    const value = readOnce(async () => ++reads);
    expect(await Promise.all([value(), value()])).toEqual([1, 1]);
  });

  it("is read again after a failure", async () => {
    const answers = [Promise.reject(new Error("throttled")), Promise.resolve("key")];
    const value = readOnce(async () => answers.shift());
    await expect(value()).rejects.toThrow("throttled");
    await expect(value()).resolves.toBe("key");
  });
});
