import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../../../shared/runtime/document-translation.ts";
import { addHistory } from "../../../../shared/security/alerts/alert-history.ts";
import { hashOfAlertId, unresolvedKey } from "../../../../shared/security/alerts/alert-item.ts";
import { MAX_ASSIGNMENTS, MAX_COMMENTS, noteKey } from "../../../../shared/security/alerts/alert-note.ts";
import { organizationKey } from "../../../../shared/terms/keys.ts";
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
import { depth } from "../../../support/depth.ts";
import { startLossyProxy } from "../../../support/lossy-proxy.ts";

const DAY = 86_400_000;

let table: Awaited<ReturnType<typeof startAlertTable>>;
let client: DynamoDBClient;
let alerts: AlertStores;
let organizations = 0;
const freshOrganization = () => `acme-${++organizations}`;
const by = (user: string, at = NOON + 5_000, token?: string) => ({
  by: user,
  now: at,
  ...(token !== undefined && { token }),
});
const to = (assignee: string | null) => ({ change: "assigned", assignee }) as const;
const comment = (text: string) => ({ change: "commented", text }) as const;

const raised = async (organization: string, at = NOON) => (await alerts.raise(organization, reasonAt(at), at)).alert;

const stored = async (organization: string, key: string) => {
  const Key = { scope: { S: organizationKey(organization) }, key: { S: key } };
  const { Item } = await client.send(new GetItemCommand({ TableName: table.tableName, Key, ConsistentRead: true }));
  return Item;
};
const openKey = (id: string) => unresolvedKey(hashOfAlertId(id) ?? "");
const setNumber = (organization: string, id: string, name: string, value: number) =>
  client.send(
    new UpdateItemCommand({
      TableName: table.tableName,
      Key: { scope: { S: organizationKey(organization) }, key: { S: openKey(id) } },
      UpdateExpression: "SET #name = :value",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": { N: String(value) } },
    }),
  );

beforeAll(async () => {
  table = await startAlertTable();
  client = table.client();
  alerts = table.stores();
});
afterAll(() => table.stop());

describe("assigning", () => {
  it("stores who assigned the alert to whom and when, and keeps each assignment", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const assigned = { status: "open", assignee: "bob", assignedBy: "ada", assignedAt: NOON + 1, revision: 2 };
    const given = await alerts.notes.add(organization, id, to("bob"), by("ada", NOON + 1));
    expect(given).toMatchObject({ outcome: "changed", alert: assigned, note: { by: "ada", assignee: "bob" } });
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject(assigned);
    await alerts.notes.add(organization, id, to("eve"), by("bob", NOON + 2));
    const taken = await alerts.notes.add(organization, id, to(null), by("ada", NOON + 3));
    expect(taken).toMatchObject({
      outcome: "changed",
      alert: { assignedBy: "ada", assignedAt: NOON + 3, revision: 4 },
    });
    for (const alert of [await alerts.get(organization, id, NOON), (taken as { alert: object }).alert]) {
      expect(JSON.parse(JSON.stringify(alert))).not.toHaveProperty("assignee");
    }
    await expect(alerts.notes.list(organization, id)).resolves.toMatchObject([
      { change: "assigned", at: NOON + 1, note: { by: "ada", assignee: "bob" } },
      { change: "assigned", at: NOON + 2, note: { by: "bob", assignee: "eve" } },
      { change: "assigned", at: NOON + 3, note: { by: "ada", assignee: null } },
    ]);
  });

  it("changes nothing if the alert is assigned like that already, or is resolved", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const unchanged = { outcome: "unchanged" };
    await expect(alerts.notes.add(organization, id, to(null), by("ada"))).resolves.toEqual(unchanged);
    await alerts.notes.add(organization, id, to("bob"), by("ada"));
    await expect(alerts.notes.add(organization, id, to("bob"), by("eve"))).resolves.toEqual(unchanged);
    await alerts.resolve(organization, id, by("ada"));
    await expect(alerts.notes.add(organization, id, to("eve"), by("ada"))).resolves.toEqual(unchanged);
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject({ assignee: "bob", revision: 3 });
    await expect(alerts.notes.list(organization, id)).resolves.toHaveLength(1);
  });

  it("is kept while the alert repeats, and not inherited by the next alert of the same cause", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await alerts.notes.add(organization, id, to("bob"), by("ada"));
    await alerts.notes.add(organization, id, comment("why?"), by("ada"));
    const repeated = await alerts.raise(organization, reasonAt(NOON + 1), NOON + 1);
    expect(repeated.alert).toMatchObject({ id, count: 2, assignee: "bob", comments: 1 });
    // Expired, and not yet deleted: the next alert takes its place.
    const later = NOON + 100 * DAY;
    const { alert } = await alerts.raise(organization, reasonAt(later), later);
    expect(alert).toMatchObject({ count: 1, revision: 1 });
    for (const name of ["assignee", "assignedAt", "assignedBy", "comments", "commentedAt"]) {
      expect(alert).not.toHaveProperty(name);
    }
    await alerts.notes.add(organization, alert.id, comment("again"), by("ada", later));
    await expect(alerts.notes.list(organization, alert.id)).resolves.toHaveLength(1);
  });

  it(`is possible ${MAX_ASSIGNMENTS} times`, async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await setNumber(organization, id, "assignments", MAX_ASSIGNMENTS - 1);
    await expect(alerts.notes.add(organization, id, to("bob"), by("ada"))).resolves.toMatchObject({
      outcome: "changed",
    });
    await expect(alerts.notes.add(organization, id, to("eve"), by("ada"))).resolves.toEqual({ outcome: "unchanged" });
  });
});

describe("commenting", () => {
  it("stores the text with its author and time, also on a resolved alert", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await expect(
      alerts.notes.add(organization, id, comment("looks like eve"), by("ada", NOON + 1)),
    ).resolves.toMatchObject({ outcome: "changed", alert: { comments: 1, commentedAt: NOON + 1, revision: 2 } });
    await alerts.resolve(organization, id, by("ada", NOON + 2));
    await alerts.notes.add(organization, id, comment("it was eve"), by("bob", NOON + 3));
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject({
      status: "resolved",
      comments: 2,
      commentedAt: NOON + 3,
      revision: 4,
    });
    await expect(alerts.notes.list(organization, id)).resolves.toMatchObject([
      { change: "commented", at: NOON + 1, note: { by: "ada", text: "looks like eve" } },
      { change: "commented", at: NOON + 3, note: { by: "bob", text: "it was eve" } },
    ]);
  });

  it(`leaves an alert with ${MAX_COMMENTS} comments unchanged`, async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await setNumber(organization, id, "comments", MAX_COMMENTS - 1);
    const last = by("ada", NOON, "the last");
    const outcome = await alerts.notes.add(organization, id, comment("fits"), last);
    expect(outcome).toMatchObject({ outcome: "changed", alert: { comments: MAX_COMMENTS } });
    await expect(alerts.notes.add(organization, id, comment("too many"), by("ada"))).resolves.toEqual({
      outcome: "unchanged",
    });
    // The same request again: its own comment took the last place.
    await expect(alerts.notes.add(organization, id, comment("fits"), last)).resolves.toEqual(outcome);
  });
});

describe.each([
  ["assign", to("bob")],
  ["comment", comment("why?")],
] as const)("to %s", (_, note) => {
  it("another organization's alert, an expired alert and an unknown id are not found", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const none = { outcome: "notFound" };
    await expect(alerts.notes.add(freshOrganization(), id, note, by("ada"))).resolves.toEqual(none);
    const expired = by("ada", NOON + (RETENTION_DAYS + 1) * DAY);
    await expect(alerts.notes.add(organization, id, note, expired)).resolves.toEqual(none);
    for (const garbage of ["", "x", "note#", `${id} `, id.slice(0, -1), "\u{1F335}".repeat(64)]) {
      await expect(alerts.notes.add(organization, garbage, note, by("ada"))).resolves.toEqual(none);
    }
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject({ revision: 1 });
  });

  it("is done once by the same request, also after another change", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const request = by("ada", NOON + 1, "request 1");
    const first = await alerts.notes.add(organization, id, note, request);
    const again = await Promise.all([1, 2, 3].map(() => alerts.notes.add(organization, id, note, request)));
    for (const one of again) expect(one).toEqual(first);
    await alerts.notes.add(organization, id, to("eve"), by("ada", NOON + 2));
    await alerts.resolve(organization, id, by("ada", NOON + 3));
    await expect(alerts.notes.add(organization, id, note, request)).resolves.toMatchObject({ outcome: "changed" });
    await expect(alerts.notes.list(organization, id)).resolves.toHaveLength(2);
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject({ assignee: "eve", revision: 4 });
  });

  it("is done once by concurrent attempts of one request", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const request = by("ada", NOON + 1, "request 1");
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => alerts.notes.add(organization, id, note, request)));
    for (const { outcome } of outcomes) expect(outcome).toBe("changed");
    await expect(alerts.notes.list(organization, id)).resolves.toHaveLength(1);
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject({ revision: 2 });
  });

  it("succeeds if its answers were lost", async () => {
    const proxy = await startLossyProxy(table.endpoint);
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await expect(alertStoresAt(proxy.url).notes.add(organization, id, note, by("ada"))).resolves.toMatchObject({
      outcome: "changed",
      alert: { id, revision: 2 },
    });
    await expect(alerts.notes.list(organization, id)).resolves.toHaveLength(1);
    proxy.stop();
  });
});

describe("at once", () => {
  it("ten comments are all stored, each with a revision of its own", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const texts = Array.from({ length: 10 }, (_, i) => `comment ${i}`);
    const outcomes = await Promise.all(
      texts.map((text) => alerts.notes.add(organization, id, comment(text), by("ada"))),
    );
    const revisions = outcomes.map((one) => one.outcome === "changed" && one.alert.revision);
    expect(new Set(revisions)).toEqual(new Set(texts.map((_, i) => i + 2)));
    await expect(alerts.get(organization, id, NOON)).resolves.toMatchObject({ comments: 10, revision: 11 });
    const notes = await alerts.notes.list(organization, id);
    expect(notes.map(({ note }) => note.text).sort()).toEqual(texts);
  });

  it("assigning, commenting, resolving and repeating lose nothing", async () => {
    for (let round = 0; round < depth(1, 10); round++) {
      const organization = freshOrganization();
      const { id } = await raised(organization);
      const [assigned, commented, resolved] = await Promise.all([
        alerts.notes.add(organization, id, to("bob"), by("ada")),
        alerts.notes.add(organization, id, comment("why?"), by("eve")),
        alerts.resolve(organization, id, by("ada")),
        alerts.acknowledge(organization, id, by("ada")),
        ...[1, 2, 3].map((after) => alerts.raise(organization, reasonAt(NOON + after), NOON)),
      ]);
      expect([commented.outcome, resolved.outcome]).toEqual(["changed", "changed"]);
      const alert = await alerts.get(organization, id, NOON);
      expect(alert).toMatchObject({ status: "resolved", comments: 1 });
      // An alert that was resolved first is not assigned.
      expect(alert.assignee).toBe(assigned.outcome === "changed" ? "bob" : undefined);
      const notes = await alerts.notes.list(organization, id);
      expect(notes).toHaveLength(assigned.outcome === "changed" ? 2 : 1);
      const all = await listAll(alerts, organization);
      expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    }
  });

  it("two assignments leave the later one, and both in the history", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await Promise.all(["bob", "eve"].map((user) => alerts.notes.add(organization, id, to(user), by("ada"))));
    const notes = await alerts.notes.list(organization, id);
    expect(notes.map(({ note }) => note.assignee).sort()).toEqual(["bob", "eve"]);
    const { assignee } = await alerts.get(organization, id, NOON);
    expect(assignee).toBe(notes.at(-1)?.note.assignee);
  });
});

it("an assignment that began first and is committed last is the last entry of the history", async () => {
  const organization = freshOrganization();
  const { id } = await raised(organization);
  await alerts.notes.add(organization, id, to("bob"), by("ada", NOON + 20));
  await alerts.notes.add(organization, id, to("eve"), by("ada", NOON + 10));
  await alerts.resolve(organization, id, by("ada", NOON + 15));
  const alert = await alerts.get(organization, id, NOON);
  const { history } = await addHistory(alerts.notes, organization, alert);
  expect(history.map(({ change, assignee }) => assignee ?? change)).toEqual(["raised", "bob", "eve", "resolved"]);
  expect(history.at(2)?.assignee).toBe(alert.assignee);
});

describe("the expiry of notes", () => {
  const ttlOf = async (organization: string, key: string) => Number((await stored(organization, key))?.ttl?.N);

  it("is a day after that of the alert, and is deferred once the alert was repeated", async () => {
    const organization = freshOrganization();
    const { id } = await raised(organization);
    await alerts.notes.add(organization, id, comment("why?"), by("ada"));
    await alerts.notes.add(organization, id, to("bob"), by("ada"));
    const keys = (await alerts.notes.list(organization, id)).map(({ note }) => noteKey(id, note.id));
    const day = DAY / 1_000;
    const before = await ttlOf(organization, openKey(id));
    for (const key of keys) expect(await ttlOf(organization, key)).toBe(before + day);
    await alerts.notes.renew(organization, { id }, NOON);
    for (const key of keys) expect(await ttlOf(organization, key)).toBe(before + day);
    const later = NOON + 60 * DAY;
    await alerts.raise(organization, reasonAt(later), later);
    await alerts.notes.renew(organization, { id }, later);
    for (const key of keys) expect(await ttlOf(organization, key)).toBe(before + 61 * day);
    expect(Number((await stored(organization, openKey(id)))?.notesUntil?.N)).toBe(before + 61 * day);
    await alerts.notes.renew(freshOrganization(), { id }, later);
  });
});

describe("a list of an assignee", () => {
  it("has the alerts of all statuses, page by page", async () => {
    const organization = freshOrganization();
    const expected: string[] = [];
    for (let i = 0; i < 8; i++) {
      const at = NOON + i;
      const { alert } = await alerts.raise(organization, reasonAt(at, { subject: String(i) }), at);
      await alerts.notes.add(organization, alert.id, to(i % 3 === 0 ? "bob" : "eve"), by("ada"));
      if (i % 2 === 0) await alerts.acknowledge(organization, alert.id, by("ada"));
      if (i % 4 === 0) await alerts.resolve(organization, alert.id, by("ada"));
      if (i % 3 === 0) expected.unshift(alert.id);
    }
    for (const limit of [1, 2, 50]) {
      const found = await listAll(alerts, organization, { assignee: "bob", limit });
      expect(found.map(({ id }) => id)).toEqual(expected);
    }
    const open = await listAll(alerts, organization, { assignee: "bob", status: "open", limit: 1 });
    expect(open.map(({ subject }) => subject)).toEqual(["3"]);
    await expect(listAll(alerts, organization, { assignee: "nobody" })).resolves.toEqual([]);
  });
});

describe("the cost of a note", () => {
  it("is a read and a transaction; of a history, a read", async () => {
    const documents = table.documentClient(documentTranslation);
    const measure = countUnits(documents);
    const counted = alertStoresOver(documents);
    const organization = freshOrganization();
    const { id } = await raised(organization);
    const costs = async (note: Parameters<AlertStores["notes"]["add"]>[2]) => {
      const outcomes: Awaited<ReturnType<AlertStores["notes"]["add"]>>[] = [];
      const ofNote = await measure(async () => {
        outcomes.push(await counted.notes.add(organization, id, note, by("ada")));
      });
      const [added] = outcomes;
      if (added?.outcome !== "changed") throw new Error("The note changed nothing.");
      return [ofNote, await measure(() => counted.outbox.remove(organization, added))];
    };
    const expected = [
      { read: 1, write: 6 },
      { read: 0, write: 2 },
    ];
    expect(await costs(comment("x".repeat(300)))).toEqual(expected);
    expect(await costs(to("bob"))).toEqual(expected);
    await expect(measure(() => counted.notes.list(organization, id))).resolves.toEqual({ read: 1, write: 0 });
  });
});
