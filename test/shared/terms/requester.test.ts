import { describe, expect, it } from "@jest/globals";
import { addressOf, requesterFields, requesterOf } from "../../../shared/terms/requester.ts";

const origin = { requestId: "request", ipAddress: "192.0.2.1", userAgent: "curl" };

describe("the requester of a user's request", () => {
  it("has the user, the session and the address, without the request's id", () => {
    const caller = { userId: "ada", sessionId: "session" };
    expect(requesterOf({ caller, origin })).toEqual({
      userId: "ada",
      sessionId: "session",
      ipAddress: "192.0.2.1",
      userAgent: "curl",
    });
  });

  it("has no field for missing values of the request", () => {
    const caller = { userId: "ada", sessionId: undefined };
    const requester = requesterOf({ caller, origin: { requestId: "request", ipAddress: "192.0.2.1" } });
    expect(Object.keys(requester)).toEqual(["userId", "ipAddress"]);
  });
});

it("takes the requester's fields from any object that has them", () => {
  const context = { organizationId: "acme", userId: "ada", sessionId: undefined, ipAddress: "192.0.2.1" };
  expect(Object.entries(requesterFields(context))).toEqual([
    ["userId", "ada"],
    ["ipAddress", "192.0.2.1"],
  ]);
  expect(requesterFields({})).toEqual({});
});

it("takes the address of an origin", () => {
  expect(addressOf(origin)).toEqual({ ipAddress: "192.0.2.1", userAgent: "curl" });
});
