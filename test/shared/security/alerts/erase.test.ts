import { describe, expect, it } from "@jest/globals";
import { cleanAlert, cleanNote, namesAddress } from "../../../../shared/security/alerts/erase.ts";
import { createUserMatcher } from "../../../../shared/terms/mentions-user.ts";
import { ERASED_TEXT } from "../../../../shared/work/location.ts";

describe("an alert, when a user is erased", () => {
  const alert = { id: "a", rule: "event_threshold", title: "Authorization failures", status: "open" };
  const user = { userId: "bob", matcher: createUserMatcher(["bob"]), holdsTheirEvents: false };

  it.each([
    ["PERMISSION_DENIED user:bob", "delete"],
    ["user:bob", "delete"],
    ["PERMISSION_DENIED bob", "delete"],
    ["PERMISSION_DENIED user:bob-2", undefined],
    ["PERMISSION_DENIED user:ada", undefined],
    ["AUTHENTICATION_FAILURE address:192.0.2.7", undefined],
  ])("about %s: %s", (subject, expected) => {
    expect(cleanAlert({ ...alert, subject }, user)).toEqual(expected);
  });

  it("is deleted if it names an address of the user", () => {
    const subject = "AUTHENTICATION_FAILURE address:192.0.2.7";
    expect(namesAddress({ ...alert, subject })).toBe(true);
    expect(namesAddress({ ...alert, subject: "x", evidence: '{"addresses":["2001:db8::7"]}' })).toBe(true);
    expect(namesAddress({ ...alert, subject: "connection", evidence: '{"count":7,"hours":12}' })).toBe(false);
    expect(cleanAlert({ ...alert, subject }, { ...user, holdsTheirEvents: true })).toBe("delete");
  });

  it("about another subject loses fields that mention the user", () => {
    const item = {
      ...alert,
      subject: "organization",
      title: "Ask bob",
      message: "it was bob",
      acknowledgedBy: "bob",
      resolvedBy: "ada",
      metadata: '{"who":"bob"}',
      evidence: '{"users":["bob"]}',
      eventIds: new Set(["01K"]),
    };
    expect(cleanAlert(item, user)).toEqual({
      remove: ["acknowledgedBy", "message", "metadata", "evidence"],
      set: { title: ERASED_TEXT },
    });
    expect(cleanAlert({ ...item, title: "Ask ada", message: "" }, user)).toMatchObject({ set: {} });
  });

  it("loses the user who opened it again", () => {
    const item = { ...alert, subject: "organization", reopenedBy: "bob" };
    expect(cleanAlert(item, user)).toEqual({ remove: ["reopenedBy"], set: {} });
  });

  it("loses the user who assigned it, and the user that it is assigned to", () => {
    const item = { ...alert, subject: "organization", assignee: "bob", assignedBy: "ada" };
    expect(cleanAlert(item, user)).toEqual({ remove: ["assignee"], set: {} });
    expect(cleanAlert({ ...item, assignee: "ada", assignedBy: "bob" }, user)).toEqual({
      remove: ["assignedBy"],
      set: {},
    });
  });
});

describe("a note of an alert, when a user is erased", () => {
  it.each([
    [{ change: "commented", by: "bob", text: "it was me" }, ["by"], { text: ERASED_TEXT }],
    [{ change: "commented", by: "ada", text: "it was bob's" }, [], { text: ERASED_TEXT }],
    [{ change: "commented", text: ERASED_TEXT }, undefined, undefined],
    [{ change: "commented", by: "ada", text: "bobbin" }, undefined, undefined],
    [{ change: "assigned", by: "bob", assignee: "ada" }, ["by"], {}],
    [{ change: "assigned", by: "bob", assignee: "bob" }, ["by", "assignee"], {}],
    [{ change: "reopened", by: "bob" }, ["by"], {}],
    [{ change: "assigned", by: "ada", assignee: null }, undefined, undefined],
  ])("%j loses %j", (item, remove, set) => {
    const expected = remove === undefined ? undefined : { remove, set };
    expect(cleanNote(item, "bob", createUserMatcher(["bob"]))).toEqual(expected);
  });
});
