/** The rules of the views Connection, Settings, Reports and Erasure. */
import { describe, expect, it } from "@jest/globals";
import {
  adviceFor,
  readReturn,
  reconnectCause,
  statusOf,
  statusSentence,
} from "../../../functions/console/app/views/connection/connection-words.ts";
import { proofText, removedInAll } from "../../../functions/console/app/views/erasure/proof.ts";
import { firstReports, periodOf } from "../../../functions/console/app/views/reports/periods.ts";
import { changesBetween, isSame } from "../../../functions/console/app/views/settings/changes.ts";
import { connectionRoutes } from "../../../shared/api/connection-routes.ts";
import { catalogueEntry } from "../../../shared/terms/error-catalogue.ts";

describe("the advice for a failed request of the connection", () => {
  const failures = Object.values(connectionRoutes).flatMap(({ failures: names }) => [...names]);
  it.each([...new Set(failures)])("is its own for %s", (name) => {
    const { status, number } = catalogueEntry(name);
    expect(adviceFor({ status, code: number }).text).not.toBe(adviceFor({ status, code: undefined }).text);
  });

  it("says without an answer that it may have happened", () => {
    expect(adviceFor({ status: undefined, code: undefined }).text).toMatch(/not known/);
    const texts = [401, 403, 418, 429, 500].map((status) => adviceFor({ status, code: undefined }).text);
    expect(new Set(texts).size).toBe(5);
  });

  it("tells an account that was never connected from one that was disconnected", () => {
    const provider = { name: "Stripe", apiKeysUrl: "", webhooksUrl: "" };
    const never = { status: "disconnected", provider, syncIntervalHours: 4 } as const;
    expect(statusOf(never)).toEqual(["quiet", "Not connected yet"]);
    expect(statusSentence(never)).toBe(
      "Connect an account of Stripe to start. Its records are then synced every 4 hours.",
    );
    expect(statusOf({ ...never, lastSyncAt: 1 })).toEqual(["quiet", "Disconnected"]);
    expect(statusSentence({ ...never, lastSyncAt: 1 })).toContain("Records that were synced before stay");
    expect(statusSentence({ ...never, status: "connected" })).toBe(
      "Records are synced every 4 hours, and as webhooks arrive.",
    );
  });

  it("names the cause of a lost connection, in general terms without the event", () => {
    expect(reconnectCause("api_key", "api_key_refused")).toMatch(/refused the API key twice/);
    expect(reconnectCause("oauth", "invalid_grant")).toMatch(/revoked/);
    expect(reconnectCause("oauth")).not.toBe(reconnectCause("api_key"));
  });
});

it.each([
  [
    { code: "c", state: "s" },
    { outcome: "granted", code: "c", state: "s" },
  ],
  [
    { error: "access_denied", error_description: "No.", state: "s" },
    { outcome: "refused", reason: "No." },
  ],
  [
    { error: "access_denied", code: "c", state: "s" },
    { outcome: "refused", reason: "access_denied" },
  ],
  [{ error: "" }, { outcome: "refused", reason: "no reason given" }],
  [{ code: "c" }, undefined],
  [{ code: "", state: "" }, undefined],
  [{}, undefined],
])("the provider returns with %j: %j", (query, expected) => {
  expect(readReturn(query)).toEqual(expected);
});

describe("a change of settings", () => {
  const none = {
    ipAllowlist: [],
    recordAccess: { member: [], guest: [] },
    siemFeed: false,
    accountActivity: true,
    drill: "off" as const,
  };
  it("is said in sentences", () => {
    const recordAccess = { member: ["invoices" as const], guest: [] };
    const after = {
      ipAllowlist: ["::/0"],
      recordAccess,
      siemFeed: true,
      accountActivity: true,
      drill: "monthly" as const,
    };
    expect(changesBetween(none, after)).toEqual([
      "Only addresses in the list may call. Until now, every address may.",
      "Adds the network ::/0.",
      "Members may read invoices.",
      "Switches the feed for a SIEM on.",
      "Switches monthly drills on.",
    ]);
    expect(changesBetween(after, none)).toEqual([
      "Removes the network ::/0.",
      "Every address may call, because the list is empty.",
      "Members may no longer read invoices.",
      "Switches the feed for a SIEM off.",
      "Switches monthly drills off.",
    ]);
  });

  it("is none if only order or repetitions differ", () => {
    const one = { ...none, ipAllowlist: ["::/0", "10.0.0.0/8"] };
    const other = { ...none, ipAllowlist: ["10.0.0.0/8", "::/0", "::/0"] };
    expect([isSame(one, other), changesBetween(one, other)]).toEqual([true, []]);
    expect(isSame(one, none)).toBe(false);
    expect(isSame({ ...none, siemFeed: true }, none)).toBe(false);
  });
});

describe("the periods of reports", () => {
  const day = Date.UTC(2026, 10, 21);
  it("are named by their days of UTC", () => {
    expect(periodOf({ kind: "compliance", from: day, to: day + 86_400_000 }, "en-US")).toBe(
      "Saturday, November 21, 2026",
    );
    const monday = Date.UTC(2026, 10, 16);
    const week = periodOf({ kind: "review", from: monday, to: monday + 7 * 86_400_000 }, "en-US");
    expect(week.replaceAll("\u2009", " ")).toBe("November 16 – 22, 2026");
  });

  it("end with the day and the week of a time", () => {
    const after = { daily: Date.UTC(2026, 10, 22, 1), weekly: Date.UTC(2026, 10, 23, 1) };
    expect(firstReports(day)).toEqual(after);
    expect(firstReports(day + 86_399_999)).toEqual(after);
    expect(firstReports(Date.UTC(2026, 10, 23)).weekly).toBe(Date.UTC(2026, 10, 30, 1));
  });
});

it("the proof of an erasure is a text with its counts and UTC times", () => {
  const removed = { records: 1, webhookEvents: 2, events: 3, alerts: 4, reports: 5, detections: 6, other: 7 };
  const times = {
    requestedAt: Date.UTC(2026, 10, 21),
    dueAt: Date.UTC(2026, 11, 21),
    completedAt: Date.UTC(2026, 10, 22),
  };
  const erasure = {
    id: "01E",
    scope: "user" as const,
    status: "completed" as const,
    requestedBy: "ada",
    removed,
    ...times,
  };
  expect(removedInAll(erasure)).toBe(28);
  const lines = proofText(erasure, "acme", undefined).split("\n");
  expect(lines).toContain("Completed: 2026-11-22T00:00:00.000Z");
  expect(lines).toContain("Security events emptied of personal data: 3");
  expect(lines).toHaveLength(14);
});
