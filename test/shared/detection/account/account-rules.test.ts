import { describe, expect, it } from "@jest/globals";
import { type AccountInput, type Entry, inOrder } from "../../../../shared/detection/account/account-input.ts";
import { accountKinds } from "../../../../shared/detection/account/account-kinds.ts";
import { judgeAccount } from "../../../../shared/detection/account/account-rules.ts";
import { defaultRuleSettings, type RulesSettings } from "../../../../shared/detection/rule-settings.ts";
import { describeThresholds } from "../../../../shared/detection/rules/rules.ts";
import { isMutable, mutableRules } from "../../../../shared/security/alerts/alert-rules.ts";
import { type AccountRule, accountRules } from "../../../../shared/security/alerts/finding.ts";

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
  {
    fresh = 1,
    settings = {},
    ...more
  }: { fresh?: number; settings?: RulesSettings } & Partial<Omit<AccountInput, "fresh">> = {},
) => {
  const ids = new Set(fresh === 0 ? [] : entries.slice(-fresh).map(({ activityId }) => activityId));
  const input = { entries: inOrder(entries), refusals: [], endpoint: undefined, ...more };
  return judgeAccount({ ...input, fresh: ids }, settings);
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
      judge([entry(`event_destination_${what}`, NOON, eve, { id })], { endpoint: { id: "we_1" } });
    for (const what of ["updated", "disabled", "deleted"]) {
      expect(changed(what, "we_1")).toMatchObject([
        { rule: "endpoint_tampered", subject: "endpoint:we_1", level: "HIGH" },
      ]);
    }
    expect([changed("created", "we_1"), changed("deleted", "we_2")]).toEqual([[], []]);
    expect(found([entry("event_destination_deleted", NOON, eve, { id: "we_1" })])).toEqual([]);
  });

  it("takes changes up to 10 minutes after a request of ours for our own", () => {
    const changed = (after: number, id = "we_1") =>
      found([entry("event_destination_updated", NOON + after, owner, { id: "we_1" })], {
        endpoint: { id, changedAt: NOON },
      });
    const minutes = (count: number) => count * (HOUR / 60);
    expect([0, minutes(10), -minutes(1)].flatMap((after) => changed(after))).toEqual([]);
    expect([minutes(10) + 1, -minutes(1) - 1, DAY].flatMap((after) => changed(after))).toEqual(
      Array(3).fill("endpoint_tampered endpoint:we_1"),
    );
    expect(changed(DAY, "we_2")).toEqual([]);
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
      judgeAccount({ entries: [viewed(NOON - 1)], fresh: new Set(["refused"]), refusals, endpoint: undefined }, {}),
    ).toHaveLength(1);
    expect(found([longAgo(), viewed(NOON - 1)], { refusals })).toEqual(story);
    expect(found([longAgo(), viewed(NOON - 1)], { refusals, fresh: 0 })).toEqual([]);
    expect(found([longAgo(), viewed(NOON - DAY)], { refusals })).toEqual(story);
    expect(found([longAgo(), viewed(NOON)], { refusals })).toEqual(story);
    expect(found([longAgo(), viewed(NOON - DAY - 1)], { refusals })).toEqual([]);
    expect(found([longAgo(), viewed(NOON + 1)], { refusals })).toEqual([]);
  });
});

it("the alerts of all rules of the account can be muted", () => {
  expect(accountRules.filter((rule) => !mutableRules.includes(rule) || !isMutable(rule))).toEqual([]);
});

describe("an organization's settings", () => {
  const set = (rule: AccountRule, settings: Partial<RulesSettings[string]>): RulesSettings => ({
    [rule]: { ...defaultRuleSettings, revision: 1, ...settings },
  });
  const stranger = [entry("api_key_created", NOON, eve)];
  const levels = (...args: Parameters<typeof judge>) => judge(...args).map(({ level }) => level);

  it("switch a rule off, and replace its level below CRITICAL", () => {
    expect(levels(stranger)).toEqual(["HIGH"]);
    expect(levels(stranger, { settings: set("key_made_by_stranger", { enabled: false }) })).toEqual([]);
    expect(levels(stranger, { settings: set("key_made_by_stranger", { level: "LOW" }) })).toEqual(["LOW"]);
    expect(levels(stranger, { settings: set("access_burst", { enabled: false, level: "LOW" }) })).toEqual(["HIGH"]);
    const payout = [longAgo(), entry("user_roles_updated", NOON), entry("payout_destination_updated", NOON + 1)];
    expect(levels(payout, { settings: set("payout_after_access", { level: "LOW" }) })).toEqual(["CRITICAL"]);
  });

  it("hide the entries of known users, by their address, else by their key", () => {
    const users = (...known: string[]) => ({
      settings: set("key_made_by_stranger", { known: { networks: [], users: known } }),
    });
    expect(found(stranger, users("eve@example.com"))).toEqual([]);
    expect(found(stranger, users("owner@example.com", "user"))).toHaveLength(1);
    const byKey = [entry("api_key_created", NOON, { type: "api_key", apiKeyId: "mk_1" })];
    expect(found(byKey, users("mk_1"))).toEqual([]);
    expect(found(byKey, users("mk_2"))).toHaveLength(1);
    // One known user's changes are no part of a burst.
    const burst = Array.from({ length: 5 }, (_, i) => entry("user_roles_updated", NOON + i, eve));
    const known = { networks: [], users: ["eve@example.com"] };
    expect(found(burst)).toHaveLength(1);
    expect(found(burst, { settings: set("access_burst", { known }) })).toEqual([]);
  });

  const MINUTE = HOUR / 60;
  const invited = { invited_user_email: "mallory@example.com", roles: ["admin"] };
  const removed = { user_email: "mallory@example.com", old_roles: ["admin"] };
  const viewed = (at: number) => entry("api_key_viewed", at);

  /** For each threshold two values, and entries of which a story is found with the first one only. */
  const examples: Record<string, [number, number, () => Entry[], Parameters<typeof judge>[1]?]> = {
    "key_made_by_stranger baselineDays": [
      7,
      28,
      () => [entry("user_access_started", NOON - 8 * DAY, eve), entry("api_key_created", NOON, eve)],
    ],
    "key_made_by_stranger knownAfterHours": [
      168,
      24,
      () => [entry("user_access_started", NOON - 3 * DAY, eve), entry("api_key_created", NOON, eve)],
    ],
    "key_seen_then_refused windowHours": [
      72,
      24,
      () => [longAgo(), viewed(NOON - 3 * DAY)],
      { refusals: [{ eventId: "refused", at: NOON }] },
    ],
    "payout_after_access windowHours": [
      72,
      71,
      () => [longAgo(), entry("user_roles_updated", NOON - 3 * DAY), entry("payout_schedule_updated", NOON)],
    ],
    "endpoint_tampered ownChangeMinutes": [
      10,
      11,
      () => [entry("event_destination_updated", NOON + 11 * MINUTE, owner, { id: "we_1" })],
      { endpoint: { id: "we_1", changedAt: NOON } },
    ],
    "access_burst changes": [3, 4, () => [0, 1, 2].map((i) => entry("user_roles_updated", NOON + i))],
    "access_burst windowMinutes": [
      40,
      39,
      () => [0, 1, 2, 3, 4].map((i) => entry("user_roles_updated", NOON + i * 10 * MINUTE)),
    ],
    "access_burst administratorHours": [
      48,
      24,
      () => [
        entry("user_invite_created", NOON - 2 * DAY, owner, invited),
        entry("user_roles_deleted", NOON, owner, removed),
      ],
    ],
  };

  it("set every threshold, within whole bounds around its default", () => {
    const names = accountRules.flatMap((rule) =>
      Object.entries(accountKinds[rule].thresholds).map(([name, { default: byDefault, min, max, unit }]) => {
        expect([min, byDefault, max].every(Number.isInteger) && min <= byDefault && byDefault <= max).toBe(true);
        expect(unit).not.toBe("");
        expect(describeThresholds(rule, { [name]: max + 1 })[name]?.value).toBe(max);
        return `${rule} ${name}`;
      }),
    );
    expect(Object.keys(examples).sort()).toEqual(names.sort());
    for (const [named, [finds, misses, entries, more]] of Object.entries(examples)) {
      const [rule, name] = named.split(" ") as [AccountRule, string];
      const by = (value: number) => {
        const settings = set(rule, { thresholds: { [name]: value } });
        return judge(entries(), { ...more, settings }).filter((finding) => finding.rule === rule).length;
      };
      expect([named, by(finds), by(misses)]).toEqual([named, 1, 0]);
    }
  });
});
