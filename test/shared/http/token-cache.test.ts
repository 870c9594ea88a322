import { describe, expect, it } from "@jest/globals";
import { createTokenCache } from "../../../shared/http/authenticate.ts";

const caller = {
  userId: "ada",
  organizationId: undefined,
  role: "guest",
  sessionId: undefined,
  scope: "user:ada",
} as const;

const cacheAt = (start: number) => {
  const time = { now: start };
  return { time, cache: createTokenCache(() => time.now) };
};

describe("the token cache", () => {
  it("caches a result until the token expires", () => {
    const { time, cache } = cacheAt(0);
    cache.put("jwt", caller, 1_000);
    time.now = 999;
    expect(cache.get("jwt")).toBe(caller);
    time.now = 1_000;
    expect(cache.get("jwt")).toBeUndefined();
  });

  it("caches a result for at most five minutes", () => {
    const { time, cache } = cacheAt(0);
    cache.put("jwt", caller, 86_400_000);
    time.now = 5 * 60_000 - 1;
    expect(cache.get("jwt")).toBe(caller);
    time.now = 5 * 60_000;
    expect(cache.get("jwt")).toBeUndefined();
  });

  it("removes the oldest entry when it is full", () => {
    const { cache } = cacheAt(0);
    for (let i = 0; i <= 200; i++) cache.put(`jwt-${i}`, caller, 1_000);
    expect(cache.get("jwt-0")).toBeUndefined();
    expect(cache.get("jwt-1")).toBe(caller);
    expect(cache.get("jwt-200")).toBe(caller);
  });
});
