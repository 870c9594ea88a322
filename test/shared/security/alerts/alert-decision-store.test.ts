import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../../../shared/runtime/document-translation.ts";
import { addHistory } from "../../../../shared/security/alerts/alert-history.ts";
import {
  type AlertStores,
  alertStoresAt,
  alertStoresOver,
  listAll,
  NOON,
  RETENTION_DAYS,
  reasonAt,
  startAlertTable,
} from "../../../support/alerts.ts";
import { countUnits } from "../../../support/consumed-units.ts";
import { startLossyProxy } from "../../../support/lossy-proxy.ts";

let table: Awaited<ReturnType<typeof startAlertTable>>;
let alerts: AlertStores;
let organizations = 0;
const freshOrganization = () => `acme-${++organizations}`;
const ada = { by: "ada", now: NOON + 5_000 };
const bob = { by: "bob", now: NOON + 9_000 };

const raised = async (organization: string, changes: Parameters<typeof reasonAt>[1] = {}) =>
  (await alerts.raise(organization, reasonAt(NOON, changes), NOON)).alert;

beforeAll(async () => {
  table = await startAlertTable();
  alerts = table.stores();
});
afterAll(() => table.stop());

describe("acknowledging", () => {
  it("stores who and when, once", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const alert = { status: "acknowledged", acknowledgedBy: "ada", acknowledgedAt: ada.now, revision: 2, count: 1 };
    await expect(alerts.acknowledge(organization, id, ada)).resolves.toMatchObject({ outcome: "changed", alert });
    await expect(alerts.acknowledge(organization, id, bob)).resolves.toEqual({ outcome: "unchanged" });
    await expect(listAll(alerts, organization)).resolves.toMatchObject([alert]);
  });

  it("is kept while the alert repeats", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await alerts.acknowledge(organization, id, ada);
    const { alert } = await alerts.raise(organization, reasonAt(NOON + 1), NOON + 1);
    expect(alert).toMatchObject({ id, status: "acknowledged", acknowledgedBy: "ada", count: 2, revision: 3 });
  });

  it.each([
    { change: "assigned", assignee: "eve" },
    { change: "commented", text: "Look" },
  ] as const)("is later in the history than a note that was $change before, even if it began earlier", async (note) => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    for (const now of [NOON + 100, NOON + 50]) {
      const other = { ...note, ...(now === NOON + 50 && note.change === "assigned" && { assignee: "bob" }) };
      await alerts.notes.add(organization, id, other, { by: "ada", now });
    }
    await expect(alerts.acknowledge(organization, id, { by: "bob", now: NOON + 20 })).resolves.toMatchObject({
      outcome: "changed",
      alert: { acknowledgedAt: NOON + 101, acknowledgedBy: "bob", revision: 4 },
    });
    await alerts.notes.add(organization, id, { change: "commented", text: "Done" }, { by: "bob", now: NOON + 30 });
    const alert = await alerts.get(organization, id, NOON + 200);
    const { history } = await addHistory(alerts.notes, organization, alert);
    expect(history.map(({ change }) => change)).toEqual([
      "raised",
      note.change,
      note.change,
      "acknowledged",
      "commented",
    ]);
  });

  it("leaves a resolved alert unchanged", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await alerts.resolve(organization, id, ada);
    await expect(alerts.acknowledge(organization, id, bob)).resolves.toEqual({ outcome: "unchanged" });
    await expect(listAll(alerts, organization)).resolves.toMatchObject([{ status: "resolved", revision: 2 }]);
  });
});

describe("resolving", () => {
  it("is final: the same trigger raises a new alert", async () => {
    const organization = freshOrganization();
    const metadata = { kind: "finding", evidence: { count: 4, details: { hour: "x" } }, message: "why" } as const;
    const first = await raised(organization, metadata);
    await alerts.acknowledge(organization, first.id, ada);
    const resolved = await alerts.resolve(organization, first.id, bob);
    expect(resolved).toEqual({
      outcome: "changed",
      alert: {
        ...first,
        status: "resolved",
        revision: 3,
        resolvedAt: bob.now,
        resolvedBy: "bob",
        acknowledgedAt: ada.now,
        acknowledgedBy: "ada",
      },
    });
    await expect(alerts.resolve(organization, first.id, ada)).resolves.toEqual({ outcome: "unchanged" });
    const second = await raised(organization, metadata);
    expect(second).toMatchObject({ status: "open", count: 1, revision: 1 });
    expect(second.id).not.toBe(first.id);
    await expect(listAll(alerts, organization, { status: "resolved" })).resolves.toMatchObject([{ id: first.id }]);
    await expect(listAll(alerts, organization, { status: "open" })).resolves.toEqual([second]);
    await expect(alerts.listUnresolvedFindings(organization, NOON)).resolves.toEqual([second]);
  });

  it("loses no concurrent trigger", async () => {
    for (let round = 0; round < 10; round++) {
      const organization = freshOrganization();
      const { id } = await raised(organization);
      const reasons = Array.from({ length: 8 }, (_, i) => reasonAt(NOON + i));
      const [resolved] = await Promise.all([
        alerts.resolve(organization, id, ada),
        ...reasons.map((reason) => alerts.raise(organization, reason, NOON)),
      ]);
      expect(resolved.outcome).toBe("changed");
      const found = await listAll(alerts, organization);
      expect(found.filter(({ status }) => status === "resolved")).toHaveLength(1);
      expect(found.length).toBeLessThanOrEqual(2);
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(9);
      for (const { count, eventIds } of found) expect(eventIds).toHaveLength(count);
    }
  });

  it("succeeds for exactly one of ten callers at once", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => alerts.resolve(organization, id, ada)));
    expect(outcomes.filter(({ outcome }) => outcome === "changed")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "unchanged")).toHaveLength(9);
  });
});

describe.each(["acknowledge", "resolve"] as const)("to %s", (decide) => {
  it("another organization's alert, an expired alert and an unknown id are not found", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const expired = { by: "ada", now: NOON + (RETENTION_DAYS + 1) * 86_400_000 };
    const none = { outcome: "notFound" };
    await expect(alerts[decide](freshOrganization(), id, ada)).resolves.toEqual(none);
    await expect(alerts[decide](organization, id, expired)).resolves.toEqual(none);
    // The same rule and subject, but another alert.
    const another = `${id.slice(0, 25)}${id[25] === "0" ? "1" : "0"}${id.slice(26)}`;
    await expect(alerts[decide](organization, another, ada)).resolves.toEqual(none);
    for (const garbage of ["", "x", "open#", `${id} `, id.toLowerCase(), id.slice(0, -1), "\u{1F335}".repeat(64)]) {
      await expect(alerts[decide](organization, garbage, ada)).resolves.toEqual(none);
    }
    await expect(listAll(alerts, organization)).resolves.toMatchObject([{ status: "open", revision: 1 }]);
  });

  it("succeeds if its answers were lost", async () => {
    const proxy = await startLossyProxy(table.endpoint);
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await expect(alertStoresAt(proxy.url)[decide](organization, id, ada)).resolves.toMatchObject({
      outcome: "changed",
      alert: { id, revision: 2 },
    });
    await expect(listAll(alerts, organization)).resolves.toMatchObject([{ id, revision: 2 }]);
    proxy.stop();
  });
});

describe("the cost of decisions", () => {
  it("is a write, and for resolving a read and a transaction", async () => {
    const client = table.documentClient(documentTranslation);
    const measure = countUnits(client);
    const counted = alertStoresOver(client);
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const acknowledged = await measure(() => counted.acknowledge(organization, id, ada));
    const resolved = await measure(() => counted.resolve(organization, id, ada));
    expect(acknowledged.write).toBeLessThanOrEqual(4);
    expect(resolved.write).toBeLessThanOrEqual(10);
  });
});
