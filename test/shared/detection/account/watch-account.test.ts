import { expect, it } from "@jest/globals";
import { createWatchEntries, createWatchRefusals } from "../../../../shared/detection/account/watch-account.ts";
import { defaultRuleSettings, type RulesSettings } from "../../../../shared/detection/rule-settings.ts";
import type { SecurityEvent } from "../../../../shared/security/security-event.ts";
import { quietLog } from "../../../support/quiet-log.ts";

quietLog();

const NOON = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const viewed = (occurredAt: number, readAt = occurredAt, type = "api_key_viewed"): SecurityEvent => {
  const actor = { type: "user", email: "owner@example.com" };
  const details = { type: "api_key", api_key: { id: "mk_1" } };
  const metadata = { activityId: `accact_${occurredAt}`, type, occurredAt, actor, details };
  return {
    id: `viewed at ${occurredAt}`,
    timestamp: readAt,
    eventType: "PROVIDER_ACCOUNT_ACTIVITY",
    metadata,
  } as never;
};

const refused = (timestamp: number, more: object = {}): SecurityEvent =>
  ({
    id: `refused at ${timestamp}`,
    timestamp,
    eventType: "AUTHENTICATION_FAILURE",
    resourceType: "provider_account",
    metadata: { errorCategory: "authentication" },
    ...more,
  }) as never;

/** Events as they are stored, in pages of two. */
const world = (stored: readonly SecurityEvent[], settings: RulesSettings = {}) => {
  const state = { now: NOON, lists: 0, raised: [] as string[], sweeps: 0, isDown: false };
  const dependencies = {
    events: {
      list: async (
        { since, eventType }: { since?: number; eventType?: string },
        { after }: { after?: string | undefined },
      ) => {
        state.lists++;
        if (state.isDown) throw new Error("down");
        const found = stored.filter((event) => event.eventType === eventType && event.timestamp >= (since ?? 0));
        const from = Number(after ?? 0);
        return { events: found.slice(from, from + 2), ...(from + 2 < found.length && { next: String(from + 2) }) };
      },
    },
    settings: { read: async () => settings },
    raise: async (_: string, { rule, eventIds }: { rule: string; eventIds: readonly string[] }) => {
      state.raised.push(`${rule}: ${eventIds.join(", ")}`);
    },
    now: () => state.now,
  };
  const connections = { read: async () => ({ status: "disconnected" as const }) };
  const sweep = async () => void state.sweeps++;
  return {
    state,
    onRefused: createWatchRefusals(dependencies as never),
    onEntries: createWatchEntries({ ...dependencies, connections, sweep } as never),
  };
};

it("judges a refused call by the entries of the longest window before it, and both bounds count", async () => {
  const refusal = { eventId: "refusal", at: NOON };
  for (const [at, raised] of [
    [NOON - DAY - 1, []],
    [NOON - DAY, [`key_seen_then_refused: viewed at ${NOON - DAY}, refusal`]],
    [NOON, [`key_seen_then_refused: viewed at ${NOON}, refusal`]],
    [NOON + 1, []],
  ] as const) {
    const { state, onRefused } = world([viewed(NOON - 5 * DAY), viewed(at)]);
    await onRefused("acme", refusal);
    expect([at - NOON, state.raised]).toEqual([at - NOON, raised]);
  }
  const known = { networks: [], users: ["owner@example.com"] };
  const hidden = world([viewed(NOON)], { key_seen_then_refused: { ...defaultRuleSettings, known, revision: 1 } });
  await hidden.onRefused("acme", refusal);
  expect(hidden.state.raised).toEqual([]);
});

it("judges one refusal of a series in five minutes, of each organization, and never throws", async () => {
  const { state, onRefused } = world([viewed(NOON)]);
  const refuse = (organizationId: string) => onRefused(organizationId, { eventId: `at ${state.now}`, at: state.now });
  await refuse("acme");
  state.now += 5 * MINUTE - 1;
  await refuse("acme");
  expect([state.lists, state.raised.length]).toEqual([1, 1]);
  await refuse("other");
  state.now++;
  await refuse("acme");
  expect([state.lists, state.raised.length]).toEqual([3, 3]);
  state.isDown = true;
  state.now += HOUR;
  await expect(refuse("acme")).resolves.toBeUndefined();
});

it("judges entries that occurred days ago by the refusals and the entries of their time", async () => {
  const [long, then] = [NOON - 10 * DAY, NOON - 6 * DAY];
  const stored = [
    viewed(long - 20 * DAY, long - 20 * DAY, "user_access_started"),
    refused(then),
    refused(then + 1, { metadata: { errorCategory: "network" } }),
    refused(then + 2, { resourceType: "webhook" }),
  ];
  const { state, onEntries } = world(stored);
  await onEntries("acme", [viewed(then - HOUR, NOON)]);
  // The actor was seen within 28 days before the entry, though not within 28 days before now.
  expect(state.raised).toEqual([`key_seen_then_refused: viewed at ${then - HOUR}, refused at ${then}`]);
  expect(state.sweeps).toBe(0);
});
