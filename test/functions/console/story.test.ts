import { describe, expect, it } from "@jest/globals";
import type { AlertHistoryEntry, SecurityEvent } from "../../../functions/console/app/api/types.ts";
import { firstFilterOf, followedFrom, spanOf, storyOf } from "../../../functions/console/app/views/alerts/story.ts";

const HOUR = 3_600_000;
let ids = 0;
const event = (timestamp: number, changes: Partial<SecurityEvent> = {}): SecurityEvent =>
  ({
    id: `e${++ids}`,
    timestamp,
    eventType: "AUTHENTICATION_FAILURE",
    category: "authentication",
    source: "user",
    success: false,
    userId: "bob",
    ipAddress: "192.0.2.66",
    ...changes,
  }) as SecurityEvent;

const history: AlertHistoryEntry[] = [
  { change: "raised", at: 101 },
  { change: "repeated", at: 110 },
  { change: "acknowledged", at: 400, by: "ada" },
];

describe("the story of an alert", () => {
  const read = event(300, { eventType: "DATA_READ", category: "data_access", success: true, ipAddress: "192.0.2.99" });
  const change = event(90, { eventType: "SETTINGS_CHANGED", category: "compliance", success: true });
  const flood = event(120, { metadata: { failures: 40 } } as Partial<SecurityEvent>);
  const events = [read, event(100), event(110), flood, change, read];
  const told = storyOf({ firstSeen: 100, lastSeen: 120, history }, events).map(({ name, entries }) => ({
    name,
    entries: entries.map(({ kind, at, until, count }) => [kind, at, until, count]),
  }));

  it("has what was before, during and after it in the order of time, neighbours together, each event once", () => {
    expect(told).toEqual([
      { name: "before", entries: [["change", 90, 90, 1]] },
      {
        name: "during",
        entries: [
          ["refusal", 100, 100, 1],
          ["reaction", 101, 101, 1],
          ["refusal", 110, 120, 41],
        ],
      },
      {
        name: "after",
        entries: [
          ["read", 300, 300, 1],
          ["reaction", 400, 400, 1],
        ],
      },
    ]);
  });

  it("keeps others apart, and names what the service did", () => {
    const apart = [event(100), event(101, { userId: "eve" }), event(102, { source: "system", category: "system" })];
    const [phase] = storyOf({ firstSeen: 100, lastSeen: 200, history: [] }, apart);
    expect(phase?.entries.map(({ kind, count }) => [kind, count])).toEqual([
      ["refusal", 1],
      ["refusal", 1],
      ["other", 1],
    ]);
  });

  it("follows the users of an address and the addresses of a user, three at most", () => {
    const many = ["a", "b", "b", "c", "d"].map((userId) =>
      event(1, { userId, ipAddress: `192.0.2.${userId.charCodeAt(0)}` }),
    );
    const byAddress = firstFilterOf({ rule: "policy_violation", subject: "address:192.0.2.1" });
    expect(followedFrom(many, byAddress)).toEqual([{ userId: "a" }, { userId: "b" }, { userId: "c" }]);
    const byUser = firstFilterOf({ rule: "policy_violation", subject: "user:a" });
    expect(followedFrom(many, byUser)[0]).toEqual({ ipAddress: "192.0.2.97" });
    expect(followedFrom(many, firstFilterOf({ rule: "sync_silence", subject: "connection" }))).toEqual([]);
  });

  it("covers an hour around the alert, and the newest day of one that goes on", () => {
    expect(spanOf({ firstSeen: 10 * HOUR, lastSeen: 12 * HOUR })).toEqual({ since: 9 * HOUR, until: 13 * HOUR });
    expect(spanOf({ firstSeen: 0, lastSeen: 100 * HOUR })).toEqual({ since: 75 * HOUR, until: 101 * HOUR });
  });
});
