/** Bounces and complaints on the real engine: what they change, repeated, late, and while a delivery of the destination ends. */
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { createApplyMailFeedback } from "../../../shared/notifications/apply-mail-feedback.ts";
import { type PausedDestination, pausedEvent } from "../../../shared/notifications/destination-paused.ts";
import { type MailFeedback, mailTags, ownerOf } from "../../../shared/notifications/mail-feedback.ts";
import { type DestinationItem, destinationKey } from "../../../shared/notifications/notification-items.ts";
import { createSendingStore } from "../../../shared/notifications/sending-store.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useDatabase } from "../../support/use-table.ts";

const TABLE = "notifications";
const AT = Date.UTC(2026, 10, 22, 21, 0);

quietLog();
const database = useDatabase(TABLE);
let organizations = 0;

/** A destination, and what bounces and complaints do to it. */
const createWorld = async (own: Partial<DestinationItem> = {}) => {
  const organizationId = `acme/${++organizations}`;
  const store = createSendingStore(database.table(TABLE));
  const paused: PausedDestination[] = [];
  const item = {
    id: "01D",
    type: "email",
    name: "Ops",
    target: "Ada@example.com",
    status: "active",
    filter: {},
    createdAt: AT,
    createdBy: "u",
    changedAt: AT,
    changedBy: "u",
    version: "v",
    sealed: new Uint8Array([1]),
    ...own,
  };
  await database.client.send(
    new PutCommand({ TableName: TABLE, Item: { ...destinationKey(organizationId, "01D"), ...item } }),
  );
  const apply = createApplyMailFeedback({ store, publishPaused: async (event) => void paused.push(event) });
  const feedback = (change: Partial<MailFeedback> = {}): MailFeedback => ({
    tags: Object.fromEntries(
      Object.entries({ ...mailTags({ organizationId, destinationId: "01D" }), "ses:configuration-set": "set" }).map(
        ([name, value]) => [name, [value]],
      ),
    ),
    recipients: ["ada@EXAMPLE.com"],
    at: new Date(AT).toISOString(),
    bounceType: "Permanent",
    ...change,
  });
  const read = async () => {
    const found = await store.readDestination(organizationId, "01D");
    const { status, pausedBecause, pausedAt, failingSince, failingBecause, lastDeliveredAt } = found ?? {};
    return { status, pausedBecause, pausedAt, failingSince, failingBecause, lastDeliveredAt };
  };
  return { organizationId, store, paused, apply, feedback, read };
};

const untouched = {
  status: "active",
  pausedBecause: undefined,
  pausedAt: undefined,
  failingSince: undefined,
  failingBecause: undefined,
  lastDeliveredAt: undefined,
};
const ended = { ...untouched, status: "paused", pausedBecause: "failing", pausedAt: AT, failingSince: AT };

describe("a bounce or a complaint", () => {
  it.each([
    ["bounced", "Permanent", "active"],
    ["complained", undefined, "active"],
    ["bounced", "Permanent", "unconfirmed"],
  ] as const)(
    "pauses the destination with one alert, however often it comes: %s (%s, %s)",
    async (because, bounceType, status) => {
      const { apply, feedback, read, paused } = await createWorld({ status });
      const { bounceType: _permanent, ...complaint } = feedback();
      const event = bounceType === undefined ? complaint : feedback({ bounceType });
      for (let times = 0; times < 2; times++) await apply(event);
      expect(await read()).toEqual({ ...ended, failingBecause: because });
      expect(paused).toMatchObject([{ reason: "failing", because, failingSince: AT, at: AT }]);
      expect(pausedEvent(paused[0] as PausedDestination).detail.event).toMatchObject({
        eventType: "NOTIFICATIONS_PAUSED",
        metadata: { reason: "failing", because, destinationType: "email" },
      });
    },
  );

  it("has the same security event when the pause is repeated after a crash", async () => {
    const { apply, feedback, paused, organizationId } = await createWorld();
    const broken = createApplyMailFeedback({
      store: {
        readDestination: createSendingStore(database.table(TABLE)).readDestination,
        noteFeedback: () => Promise.reject(new Error("The instance died.")),
      },
      publishPaused: async (event) => void paused.push(event),
    });
    await expect(broken(feedback())).rejects.toThrow("died");
    await apply(feedback());
    const ids = paused.map((one) => pausedEvent(one).detail.event.id);
    expect([ids.length, new Set(ids).size, paused[0]?.organizationId]).toEqual([2, 1, organizationId]);
  });

  it("that is transient says why the destination fails, and pauses nothing", async () => {
    const { apply, feedback, read, paused } = await createWorld();
    for (const bounceType of ["Transient", "Undetermined"]) await apply(feedback({ bounceType }));
    expect(await read()).toEqual({ ...untouched, failingSince: AT, failingBecause: "bounced" });
    expect(paused).toEqual([]);
  });

  it.each<[string, Partial<DestinationItem>, Partial<MailFeedback>]>([
    ["of another address", {}, { recipients: ["former@example.com"] }],
    ["of a mail before the last request to confirm", { confirmationSentAt: AT + 1 }, {}],
    ["of another sender", {}, { tags: { "ses:configuration-set": ["set"] } }],
    ["of a destination that does not exist", {}, { tags: { destination: ["01X"], "organization-0": ["YWNtZQ"] } }],
  ])("%s changes nothing", async (_case, own, change) => {
    const { apply, feedback, read, paused } = await createWorld(own);
    await apply(feedback(change));
    expect([await read(), paused]).toEqual([untouched, []]);
  });

  it("leaves a destination alone that a user has paused", async () => {
    const { apply, feedback, read, paused } = await createWorld({ status: "paused", pausedBecause: "user" });
    await apply(feedback());
    expect([await read(), paused]).toEqual([{ ...untouched, status: "paused", pausedBecause: "user" }, []]);
  });
});

describe("a mail that SES accepts", () => {
  const SECOND_MS = 1_000;

  it("ends the failing of an earlier transient bounce, not of a later one", async () => {
    const { apply, feedback, read, store, organizationId } = await createWorld();
    await apply(feedback({ bounceType: "Transient" }));
    await store.noteSuccess(organizationId, "01D", { at: AT - SECOND_MS, isSlow: false });
    expect(await read()).toMatchObject({ failingBecause: "bounced", lastDeliveredAt: undefined });
    await store.noteSuccess(organizationId, "01D", { at: AT + SECOND_MS, isSlow: false });
    expect(await read()).toEqual({ ...untouched, lastDeliveredAt: AT + SECOND_MS });
  });

  it("does not end a pause: another delivery may have been under way", async () => {
    const { apply, feedback, read, store, organizationId } = await createWorld();
    await apply(feedback());
    await store.noteSuccess(organizationId, "01D", { at: AT + SECOND_MS, isSlow: false });
    expect(await read()).toEqual({ ...ended, failingBecause: "bounced" });
  });
});

describe("the tags of a mail", () => {
  it.each(["acme", "a/b c", "ü".repeat(128), "\u{1f335}".repeat(128)])("name the organization %j", (organizationId) => {
    const tags = mailTags({ organizationId, destinationId: "01D" });
    for (const text of Object.entries(tags).flat()) expect(text).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
    const published = Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]]));
    expect(ownerOf(published)).toEqual({ organizationId, destinationId: "01D" });
  });
});
