import { describe, expect, it } from "@jest/globals";
import type { Alert, AlertActionResult } from "../../../functions/console/app/api/types.ts";
import {
  type AlertChange,
  changed,
  failureText,
  isChangedBy,
  outcomeText,
} from "../../../functions/console/app/views/alerts/change.ts";
import { evidenceFacts } from "../../../functions/console/app/views/alerts/evidence.ts";
import { eventIdsOf, idsProblem, toRequest } from "../../../functions/console/app/views/alerts/raised-alert.ts";
import { inTriageOrder, MOST_SELECTED, matches, select } from "../../../functions/console/app/views/alerts/triage.ts";
import { ruleName, rules, subjectOf } from "../../../functions/console/app/views/alerts/words.ts";
import {
  EVENT_RULE,
  INCOMPLETE_RULE,
  MANUAL_RULE,
  MUTED_RULE,
  PAUSED_RULE,
  RULE_OFF_RULE,
  SILENCED_RULE,
} from "../../../shared/security/alerts/alert.ts";
import { accountRules, findingRules, KEY_RULE } from "../../../shared/security/alerts/finding.ts";

const alert = (fields: Partial<Alert> = {}): Alert => ({
  id: "a",
  title: "Title",
  level: "HIGH",
  rule: "sync_silence",
  subject: "connection",
  status: "open",
  count: 1,
  firstSeen: 1_000,
  lastSeen: 1_000,
  eventIds: [],
  revision: 1,
  ...fields,
});

describe("the words of alerts", () => {
  it("exist for each rule of the service, and for no other", () => {
    const ofService = [EVENT_RULE, MANUAL_RULE, MUTED_RULE, PAUSED_RULE, RULE_OFF_RULE, SILENCED_RULE, INCOMPLETE_RULE];
    const others = [...ofService, KEY_RULE];
    expect(Object.keys(rules).sort()).toEqual([...findingRules, ...accountRules, ...others].sort());
    expect(ruleName("constructor")).toBe("Constructor");
    expect(ruleName("a_later_rule")).toBe("A later rule");
  });

  it.each([
    ["policy_violation", "user:eve", { text: "User eve", filters: { userId: "eve" } }],
    ["policy_violation", "address:192.0.2.1", { text: "Address 192.0.2.1", filters: { ipAddress: "192.0.2.1" } }],
    ["repeated_auth_failures", "address:2001:db8::/64", { text: "Address 2001:db8::/64" }],
    ["event_threshold", "PERMISSION_DENIED user:eve", { text: "User eve", filters: { userId: "eve" } }],
    ["event_threshold", "SYSTEM_OUTAGE", { text: "System outage" }],
    ["sync_silence", "connection", { text: "The connection" }],
    ["card_testing", "payments", { text: "Payments" }],
    ["early_fraud_warning", "warning:pi_1", { text: "Payment pi_1" }],
    ["abnormal_sync_frequency", "trigger:webhook_gap", { text: "Syncs after lost webhooks" }],
    ["a_later_rule", "toString", { text: "toString" }],
    ["notifications_paused", "01M7Y", { text: "A destination of notifications", destinationId: "01M7Y" }],
    ["notifications_silenced", "01M7Y", { text: "A destination of notifications", destinationId: "01M7Y" }],
    ["alerts_muted", "01M7Y", { text: "A mute", muteId: "01M7Y" }],
    ["evidence_incomplete", "2026-11-21", { text: "The day 2026-11-21" }],
    ["manual", "01M7Y", undefined],
  ])("name the subject of %s %s", (rule, subject, expected) => {
    expect(subjectOf({ rule, subject })).toEqual(expected);
  });
});

describe("the order of triage", () => {
  it("is open before acknowledged, then the level, then the newest", () => {
    const alerts = [
      alert({ id: "acknowledged", status: "acknowledged", level: "CRITICAL" }),
      alert({ id: "low", level: "LOW", firstSeen: 9_000 }),
      alert({ id: "old" }),
      alert({ id: "new", firstSeen: 2_000 }),
      alert({ id: "critical", level: "CRITICAL" }),
    ];
    const ids = (order: Alert[]) => order.map(({ id }) => id);
    expect(ids(inTriageOrder(alerts, ({ status }) => status))).toEqual([
      "critical",
      "new",
      "old",
      "low",
      "acknowledged",
    ]);
    // A list that knew it as open keeps it where it was.
    expect(ids(inTriageOrder(alerts, () => "open"))[0]).toBe("critical");
    expect(ids(inTriageOrder(alerts, () => "open"))[1]).toBe("acknowledged");
  });
});

describe("the filters", () => {
  it.each([
    [{}, { status: "acknowledged" as const }, true],
    [{}, { status: "resolved" as const }, false],
    [{ status: "resolved" }, { status: "resolved" as const }, true],
    [{ status: "all" }, { status: "resolved" as const }, true],
    [{ status: "nonsense" }, { status: "resolved" as const }, false],
    [{ level: "LOW" }, {}, false],
    [{ rule: "sync_silence", level: "HIGH" }, {}, true],
    [{ assignee: "mine" }, { assignee: "ada" }, true],
    [{ assignee: "mine" }, {}, false],
    [{ assignee: "bob" }, { assignee: "ada" }, false],
    [{ q: "SUCCESSFUL title" }, {}, true],
    [{ q: "user eve" }, { subject: "user:eve", rule: "policy_violation" }, true],
    [{ q: "elsewhere" }, {}, false],
  ])("%j of %j: %s", (wanted, fields, expected) => {
    expect(matches(alert(fields), wanted, "ada")).toBe(expected);
  });
});

describe("the selection", () => {
  const ids = Array.from({ length: 150 }, (_, i) => `${i}`);
  const click = (selected: Iterable<string>, id: string, last?: string) =>
    [...select(new Set(selected), ids, { id, last, isRange: last !== undefined })].sort(
      (a, b) => Number(a) - Number(b),
    );

  it("takes one row, or all rows from the last one, in both directions", () => {
    expect(click([], "3")).toEqual(["3"]);
    expect(click(["3"], "3")).toEqual([]);
    expect(click(["3"], "6", "3")).toEqual(["3", "4", "5", "6"]);
    expect(click(["6"], "3", "6")).toEqual(["3", "4", "5", "6"]);
    expect(click(["3", "4", "5", "6"], "5", "3")).toEqual(["6"]);
    // The row of the last click is gone.
    expect(click([], "5", "gone")).toEqual(["5"]);
  });

  it("has no more than one request takes", () => {
    expect(click(["0"], "149", "0")).toHaveLength(MOST_SELECTED);
    expect(click(ids.slice(0, MOST_SELECTED), "120")).not.toContain("120");
  });
});

describe("a change", () => {
  const acknowledge: AlertChange = { action: "acknowledge" };
  const who = { by: "ada", at: 5 };

  it("is expected as the service makes it", () => {
    expect(changed(alert(), acknowledge, who)).toMatchObject({ status: "acknowledged", acknowledgedBy: "ada" });
    expect(changed(alert({ status: "resolved" }), acknowledge, who)).toEqual(alert({ status: "resolved" }));
    expect(changed(alert({ assignee: "bob" }), { action: "assign", assignee: null }, who)).not.toHaveProperty(
      "assignee",
    );
    expect(changed(alert(), { action: "assign", assignee: "bob" }, who)).toMatchObject({ assignee: "bob" });
    expect(changed(alert({ status: "acknowledged" }), { action: "resolve" }, who)).toMatchObject({ resolvedAt: 5 });
    expect(isChangedBy(alert({ status: "acknowledged" }), acknowledge)).toBe(false);
    expect(isChangedBy(alert({ assignee: "bob" }), { action: "assign", assignee: "bob" })).toBe(false);
    expect(isChangedBy(alert(), { action: "assign", assignee: null })).toBe(false);
  });

  it("of a cause and of a reopening is expected as the service makes it", () => {
    const resolved = changed(
      alert({ status: "acknowledged", acknowledgedBy: "bob" }),
      {
        action: "resolve",
        cause: "test",
      },
      who,
    );
    expect(resolved).toMatchObject({ status: "resolved", cause: "test" });
    expect(isChangedBy(resolved, { action: "reopen" })).toBe(true);
    expect(isChangedBy(alert(), { action: "reopen" })).toBe(false);
    expect(changed(alert(), { action: "reopen" }, who)).toEqual(alert());
    const open = alert({ reopenedAt: 5, reopenedBy: "ada", reopenings: 1 });
    expect(changed(resolved, { action: "reopen" }, who)).toEqual(open);
    expect(failureText({ action: "reopen" }, [resolved])).toContain("could not be opened again");
  });

  it.each<[AlertChange, AlertActionResult, string]>([
    [
      { action: "reopen" },
      { action: "reopen", reopened: ["a"], unchanged: ["b"], notFound: [] },
      "1 alert is open again. 1 alert is not resolved, or opened again too often.",
    ],
    [
      { action: "resolve" },
      { action: "resolve", resolved: ["a"], unchanged: ["b", "c"], notFound: [] },
      "1 alert is resolved. 2 alerts were resolved by somebody else before.",
    ],
    [
      acknowledge,
      { action: "acknowledge", acknowledged: [], unchanged: ["b"], notFound: ["c"] },
      "1 alert was acknowledged or resolved by somebody else before. 1 alert was not found: expired, or erased.",
    ],
    [
      { action: "assign", assignee: null },
      { action: "assign", assigned: ["a", "b"], unchanged: [], notFound: [] },
      "2 alerts are no longer assigned.",
    ],
  ])("%j says what became of each alert", (change, result, text) => {
    expect(outcomeText(change, result)).toBe(text);
  });
});

describe("the evidence", () => {
  it("has names, and the thresholds last", () => {
    const facts = evidenceFacts({
      threshold: 5,
      windowMs: 900_000,
      count: 7,
      addresses: ["192.0.2.1", "192.0.2.2"],
      later: "x",
      succeededFrom: [],
    });
    expect(facts.map(({ name, value }) => [name, "text" in value ? value.text : value])).toEqual([
      ["Counted by the rule", "7"],
      ["From the addresses", "192.0.2.1, 192.0.2.2"],
      ["Later", "x"],
      ["Within", { kind: "duration", ms: 900_000 }],
      ["An alert from", "5"],
    ]);
    const story = [
      { at: 1_795_870_000_000, what: "api_key_viewed" },
      { at: 1_795_870_060_000, what: "our call was refused" },
    ];
    expect(evidenceFacts({ story })).toEqual([
      { name: "API key viewed", value: { kind: "time", at: 1_795_870_000_000 } },
      { name: "Our call was refused", value: { kind: "time", at: 1_795_870_060_000 } },
    ]);
    expect(evidenceFacts({ count: 1, threshold: 1 })).toHaveLength(1);
    expect(evidenceFacts({ share: 0.125 })[0]?.value).toEqual({ kind: "text", text: "12.5%" });
  });
});

describe("an alert by hand", () => {
  it("has the ids of its lines, each once, and no empty texts", () => {
    expect(eventIdsOf(" a,b\n\nb  c ")).toEqual(["a", "b", "c"]);
    expect(toRequest({ title: " T ", level: "LOW", message: " ", events: "" })).toEqual({
      action: "generate_alert",
      title: "T",
      riskLevel: "LOW",
    });
    expect(idsProblem("a\nb")).toBeUndefined();
    expect(idsProblem(Array.from({ length: 101 }, (_, i) => `e${i}`).join("\n"))).toContain("These are 101");
    expect(idsProblem("x".repeat(129))).toContain("too long");
  });
});
