import { describe, expect, it } from "@jest/globals";
import {
  createAuthorize,
  createOAuthStates,
  InvalidAuthorizationError,
} from "../../../shared/connection/oauth-state.ts";
import { createCursors } from "../../../shared/http/cursor.ts";
import { createSealing } from "../../../shared/runtime/sealing.ts";
import { callerOf, NOON } from "./world.ts";

const SECRET = "a secret of at least 32 characters";
const TEN_MINUTES = 600_000;

const setUp = () => {
  const marks = new Map<string, string>();
  const time = { now: NOON };
  const used = {
    markUsed: async (state: string) => {
      if (marks.has(state)) return undefined;
      marks.set(state, "mark");
      return "mark";
    },
    release: async (state: string) => void marks.delete(state),
  };
  const states = createOAuthStates({ sealing: createSealing(SECRET), used, now: () => time.now });
  return { marks, time, states };
};
const ada = callerOf("acme");

/** The part of a refusal that clients see. */
const answer = {
  code: "invalid_authorization",
  message: "state: expected one that was given to you in the last 10 minutes and not used yet",
};

describe("an OAuth state", () => {
  it("is valid for ten minutes, for its user and once, and again after a release", async () => {
    const { states, time } = setUp();
    const state = states.issue(ada);
    time.now += TEN_MINUTES - 1;
    const used = await states.use(ada, state);
    await expect(states.use(ada, state)).rejects.toMatchObject({ ...answer, fault: "used" });
    await used.release();
    await states.use(ada, state);
  });

  it("differs each time, fits into a request, and reveals nothing", () => {
    const { states } = setUp();
    const longest = callerOf("\u{1F335}".repeat(128), "\u{1F335}".repeat(128));
    const state = states.issue(longest);
    expect(state).toMatch(/^[\x21-\x7e]{1,2048}$/);
    expect(states.issue(longest)).not.toBe(state);
    expect(Buffer.from(states.issue(ada), "base64url").toString("latin1")).not.toMatch(/acme|ada|17/);
  });

  const { states } = setUp();
  const issued = states.issue(ada);
  const cursor = createCursors(SECRET).seal({ scope: ada.scope, query: "GET /x" }, { userId: "ada", expiresAt: 9e15 });
  const foreignCursor = createCursors(SECRET).seal({ scope: "org:other", query: "GET /x" }, {});
  const forged = createSealing("another secret of 32 characters or more").seal(
    { scope: ada.scope, query: "oauth-state" },
    { userId: "ada", expiresAt: 9e15 },
  );
  const shapeless = createSealing(SECRET).seal({ scope: ada.scope, query: "oauth-state" }, { userId: "ada" });

  it.each([
    ["used by another user", callerOf("acme", "eve"), issued, 0, "other_user"],
    ["used by another organization", callerOf("other"), issued, 0, "other_organization"],
    ["used by another organization after its expiry", callerOf("other"), issued, TEN_MINUTES, "other_organization"],
    ["used by another organization's user with the same id", callerOf("other", "ada"), issued, 0, "other_organization"],
    ["expired", ada, issued, TEN_MINUTES, "expired"],
    ["changed", ada, `${issued.slice(0, -1)}${issued.endsWith("A") ? "B" : "A"}`, 0, "unknown"],
    ["cut", ada, issued.slice(0, 30), 0, "unknown"],
    ["with appended text", ada, `${issued}A`, 0, "unknown"],
    ["empty", ada, "", 0, "unknown"],
    ["a cursor", ada, cursor, 0, "unknown"],
    ["another organization's cursor", ada, foreignCursor, 0, "unknown"],
    ["forged", ada, forged, 0, "unknown"],
    ["with another shape", ada, shapeless, 0, "unknown"],
  ])("is invalid: %s", async (_who, caller, state, later, fault) => {
    const parts = setUp();
    parts.time.now += later;
    const refused = parts.states.use(caller, state);
    await expect(refused).rejects.toBeInstanceOf(InvalidAuthorizationError);
    await expect(refused).rejects.toMatchObject({ ...answer, fault });
    const isOfOther = fault === "other_organization" || state === foreignCursor;
    await expect(refused).rejects.toMatchObject({
      foreignScope: isOfOther ? expect.stringMatching(/^org:/) : undefined,
    });
    expect(parts.marks.size).toBe(0);
  });

  it("can be used by one of twenty concurrent calls", async () => {
    const parts = setUp();
    const state = parts.states.issue(ada);
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => parts.states.use(ada, state)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is not accepted as a cursor", () => {
    const open = () => createCursors(SECRET).open({ scope: ada.scope, query: "GET /x" }, never, issued);
    const never = { parse: (value: unknown) => value } as never;
    expect(open).toThrow(expect.objectContaining({ code: "invalid_cursor" }));
  });
});

describe("authorizing", () => {
  it("returns the URL with the state", async () => {
    const { states } = setUp();
    const authorize = createAuthorize({
      issue: async (holder) => states.issue(holder),
      authorizeUrl: (state) => `https://p.example?s=${state}`,
    });
    const { url, state } = await authorize(ada);
    expect(url).toBe(`https://p.example?s=${state}`);
    await states.use(ada, state);
  });
});
