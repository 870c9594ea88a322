import { describe, expect, it } from "@jest/globals";
import { type AccountInput, type Entry, inOrder } from "../../../../shared/detection/account/account-input.ts";
import { judgeAccount } from "../../../../shared/detection/account/account-rules.ts";
import { isMutable, mutableRules } from "../../../../shared/security/alerts/alert-rules.ts";
import { accountRules } from "../../../../shared/security/alerts/finding.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const owner = { type: "user", email: "owner@example.com" };
const eve = { type: "user", email: "eve@example.com" };
let made = 0;

/** @param type such as `api_key_viewed`; its beginning is the kind. */
const entry = (type: string, occurredAt: number, actor: Entry["actor"] = owner, fields: object = {}): Entry => {
  const kind = ["api_key", "user_invite", "user_roles", "user_access", "sso", "payout", "event_destination"].find(
    (one) => type.startsWith(one),
  );
  const id = `accact_${++made}`;
  const details = kind === undefined ? {} : { type: kind, [kind]: fields };
  return { activityId: id, eventId: `event of ${id}`, type, occurredAt, actor, kind, details };
};

/** An actor who has been there for weeks. */
const longAgo = (actor: Entry["actor"] = owner) => entry("user_access_started", NOON - 20 * DAY, actor);

/** What is found if the last entries are new, by default the last one. */
const judge = (
  entries: Entry[],
  { fresh = 1, ...more }: { fresh?: number } & Partial<Omit<AccountInput, "fresh">> = {},
) => {
  const ids = new Set(fresh === 0 ? [] : entries.slice(-fresh).map(({ activityId }) => activityId));
  const input = { entries: inOrder(entries), refusals: [], endpointId: undefined, ...more };
  return judgeAccount({ ...input, fresh: ids });
};
const found = (...args: Parameters<typeof judge>) => judge(...args).map(({ rule, subject }) => `${rule} ${subject}`);

describe("key_made_by_stranger", () => {
  const stranger = ["key_made_by_stranger actor:eve@example.com"];
  it("finds a key that is made by, or shown to, an actor who was not seen in 28 days", () => {
    expect(judge([longAgo(), entry("api_key_viewed", NOON, eve)])).toMatchObject([
      {
        rule: "key_made_by_stranger",
        level: "HIGH",
        subject: "actor:eve@example.com",
        firstSeen: NOON,
        lastSeen: NOON,
      },
    ]);
    expect(found([longAgo(), entry("api_key_created", NOON, eve)])).toEqual(stranger);
    expect(
      found([entry("sso_settings_updated", NOON - 28 * DAY - 1, eve), entry("api_key_created", NOON, eve)]),
    ).toEqual(stranger);
  });

  it("knows an actor from 24 hours after the first entry of any type, and not before", () => {
    const started = (ago: number) => entry("user_access_started", NOON - ago, eve);
    expect(found([started(DAY), entry("api_key_created", NOON, eve)])).toEqual([]);
    expect(found([started(DAY - 1), entry("api_key_created", NOON, eve)])).toEqual(stranger);
    expect(found([started(28 * DAY), entry("api_key_created", NOON, eve)])).toEqual([]);
  });

  it("tells actors without an address apart by their keys, and names them by their type", () => {
    const key = (apiKeyId: string) => ({ type: "api_key", apiKeyId });
    expect(found([longAgo(key("mk_1")), entry("api_key_created", NOON, key("mk_1"))])).toEqual([]);
    expect(found([longAgo(key("mk_1")), entry("api_key_created", NOON, key("mk_2"))])).toEqual([
      "key_made_by_stranger actor:api_key",
    ]);
  });

  it("is not about keys that are changed, nor about entries that were judged before", () => {
    expect(found([entry("api_key_updated", NOON, eve)])).toEqual([]);
    expect(found([entry("api_key_created", NOON, eve)], { fresh: 0 })).toEqual([]);
  });
});

describe("payout_after_access", () => {
  it("finds a change of payouts up to 24 hours after a change of access, both bounds included", () => {
    const payout = entry("payout_destination_updated", NOON);
    expect(judge([longAgo(), entry("user_roles_updated", NOON - DAY), payout])).toMatchObject([
      { rule: "payout_after_access", level: "CRITICAL", subject: "account", firstSeen: NOON - DAY, lastSeen: NOON },
    ]);
    for (const type of ["api_key_created", "user_invite_created", "sso_settings_updated"]) {
      expect(found([longAgo(), entry(type, NOON), payout], { fresh: 1 })).toEqual(["payout_after_access account"]);
    }
    expect(found([longAgo(), entry("user_roles_updated", NOON - DAY - 1), payout])).toEqual([]);
    expect(found([longAgo(), entry("user_roles_updated", NOON + 1), payout])).toEqual([]);
    expect(found([longAgo(), entry("user_access_started", NOON - 1), payout])).toEqual([]);
  });

  it("finds it too if the change of access is shown after the change of payouts", () => {
    const entries = [longAgo(), entry("payout_schedule_updated", NOON), entry("user_roles_updated", NOON - HOUR)];
    expect(found(entries)).toEqual(["payout_after_access account"]);
    expect(found(entries, { fresh: 0 })).toEqual([]);
  });
});

describe("access_burst", () => {
  const changes = (count: number, step: number, actor = owner) =>
    Array.from({ length: count }, (_, i) => entry("user_roles_updated", NOON + i * step, actor));

  it("finds five changes of access of an actor within an hour", () => {
    const burst = ["access_burst actor:owner@example.com"];
    expect(found(changes(5, HOUR / 4))).toEqual(burst);
    expect(judge(changes(5, HOUR / 4))).toMatchObject([{ level: "HIGH", evidence: { count: 5 } }]);
    expect(found(changes(5, HOUR / 4 + 1))).toEqual([]);
    expect(found(changes(4, 1))).toEqual([]);
    expect(found([...changes(4, 1), entry("user_roles_updated", NOON + 9, eve)])).toEqual([]);
  });

  it("finds a person who is invited, made an administrator and removed within 24 hours", () => {
    const person = "mallory@example.com";
    const invited = (roles: string[], at = NOON) =>
      entry("user_invite_created", at, owner, { invited_user_email: person, roles });
    const removed = (at: number) =>
      entry("user_roles_deleted", at, owner, { user_email: person, old_roles: ["admin"] });
    const promoted = entry("user_roles_updated", NOON + HOUR, owner, {
      user_email: person,
      new_roles: ["super_admin"],
    });
    const burst = ["access_burst actor:owner@example.com"];
    expect(found([invited(["admin"]), removed(NOON + DAY)])).toEqual(burst);
    expect(found([invited(["view_only"]), promoted, removed(NOON + DAY)])).toEqual(burst);
    expect(found([invited(["view_only"]), removed(NOON + DAY)])).toEqual([]);
    expect(found([invited(["admin"]), removed(NOON + DAY + 1)])).toEqual([]);
    const other = entry("user_roles_deleted", NOON + 1, owner, { user_email: "ada@example.com", old_roles: [] });
    expect(found([invited(["admin"]), other])).toEqual([]);
  });
});

describe("endpoint_tampered", () => {
  it("finds changes of our endpoint only", () => {
    const changed = (what: string, id: string) =>
      judge([entry(`event_destination_${what}`, NOON, eve, { id })], { endpointId: "we_1" });
    for (const what of ["updated", "disabled", "deleted"]) {
      expect(changed(what, "we_1")).toMatchObject([
        { rule: "endpoint_tampered", subject: "endpoint:we_1", level: "HIGH" },
      ]);
    }
    expect([changed("created", "we_1"), changed("deleted", "we_2")]).toEqual([[], []]);
    expect(found([entry("event_destination_deleted", NOON, eve, { id: "we_1" })])).toEqual([]);
  });
});

describe("key_seen_then_refused", () => {
  const refusal = (at: number) => ({ eventId: "refused", at });
  const viewed = (at: number) => entry("api_key_viewed", at);

  it("joins the provider's entries and our refused call in one story, in order of time", () => {
    const [finding, ...others] = judge([longAgo(), viewed(NOON - DAY), entry("api_key_updated", NOON - HOUR)], {
      refusals: [refusal(NOON)],
    });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: "key_seen_then_refused",
      subject: "account",
      level: "CRITICAL",
      occurrence: "refused",
    });
    expect(finding?.evidence.story).toEqual([
      { at: NOON - DAY, what: "api_key_viewed" },
      { at: NOON - HOUR, what: "api_key_updated" },
      { at: NOON, what: "our call was refused" },
    ]);
    expect(finding?.eventIds.at(-1)).toBe("refused");
  });

  it("is found when the refusal comes, or when the entry is read, and not beyond 24 hours", () => {
    const story = ["key_seen_then_refused account"];
    const refusals = [refusal(NOON)];
    expect(
      judgeAccount({ entries: [viewed(NOON - 1)], fresh: new Set(["refused"]), refusals, endpointId: undefined }),
    ).toHaveLength(1);
    expect(found([longAgo(), viewed(NOON - 1)], { refusals })).toEqual(story);
    expect(found([longAgo(), viewed(NOON - 1)], { refusals, fresh: 0 })).toEqual([]);
    expect(found([longAgo(), viewed(NOON - DAY - 1)], { refusals })).toEqual([]);
    expect(found([longAgo(), viewed(NOON + 1)], { refusals })).toEqual([]);
  });
});

it("the alerts of all rules of the account can be muted", () => {
  expect(accountRules.filter((rule) => !mutableRules.includes(rule) || !isMutable(rule))).toEqual([]);
});
