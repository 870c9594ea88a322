import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { emailLinkPage } from "../../../shared/http/email-link-page.ts";
import { definedFields } from "../../../shared/json/defined-fields.ts";
import { createChangeDestination } from "../../../shared/notifications/change-destination.ts";
import { createCreateDestination } from "../../../shared/notifications/create-destination.ts";
import { createDeleteDestination } from "../../../shared/notifications/delete-destination.ts";
import { DeliveryMessage } from "../../../shared/notifications/delivery.ts";
import { createNotificationDeliveryStore } from "../../../shared/notifications/delivery-store.ts";
import { DestinationChangeRequest, DestinationRequest } from "../../../shared/notifications/destination.ts";
import {
  createDestinationSecrets,
  newSigningSecret,
  signingSecrets,
} from "../../../shared/notifications/destination-secrets.ts";
import { createDestinationStore } from "../../../shared/notifications/destination-store.ts";
import { createEmailLinks } from "../../../shared/notifications/email-link.ts";
import { createHandOver } from "../../../shared/notifications/hand-over.ts";
import { createMailedAddressStore } from "../../../shared/notifications/mailed-address-store.ts";
import { createNoticeStore } from "../../../shared/notifications/notice-store.ts";
import { createDestinationRecorder } from "../../../shared/notifications/notification-events.ts";
import { createOpenEmailLink, createUseEmailLink } from "../../../shared/notifications/use-email-link.ts";
import { createRecordWatched, createWatchChange } from "../../../shared/notifications/watch-change.ts";
import type { Envelope } from "../../../shared/runtime/envelope.ts";
import { newRequestToken } from "../../../shared/runtime/ids.ts";
import type { QueueMessage } from "../../../shared/runtime/queue.ts";
import { createSealing } from "../../../shared/runtime/sealing.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import { type SecurityEvent, SecurityEvent as SecurityEventSchema } from "../../../shared/security/security-event.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useTable } from "../../support/use-table.ts";

quietLog();

const envelope: Envelope = {
  seal: async (_, text) => Buffer.from(text),
  open: async (_, sealed) => Buffer.from(sealed).toString(),
};
const secrets = createDestinationSecrets(envelope);
const links = createEmailLinks(createSealing("a key of the tests"));

const table = useTable("notifications");
let now = 0;
let organizationId = "";
let requests = 0;
let isQueueDown = false;
let sent: object[] = [];
/** The identities of recorded events, and what they say. */
let recorded = new Map<string, object & { action: string | undefined; riskLevel: string | undefined }>();
let newestId = "";
let isDying = false;
let watched: QueueMessage[] = [];
let published: { event: SecurityEvent }[] = [];

const service = () => {
  const destinations = createDestinationStore(table);
  const addresses = createMailedAddressStore(table, { sealingKey: "a key of the tests", newToken: newRequestToken });
  const deliveries = createNotificationDeliveryStore(table);
  const queue = {
    send: async (messages: readonly object[]) => {
      if (isQueueDown) return messages;
      sent.push(...messages);
      return [];
    },
  };
  const record: Recorder["record"] = async ({ action, userId, riskLevel, metadata }, moment) => {
    if (isDying) throw new Error("The instance has died.");
    const { changed } = metadata ?? {};
    newestId = eventId(moment?.timestamp ?? 0, moment?.identity ?? new Uint8Array(16));
    recorded.set(`${moment?.timestamp} ${moment?.identity}`, {
      action,
      riskLevel,
      ...definedFields({ userId, changed }),
    });
    return undefined;
  };
  const recordChange = createDestinationRecorder({ recorder: { record }, destinations });
  const writing = {
    destinations,
    addresses,
    secrets,
    links,
    handOver: createHandOver({ deliveries, queue }),
    recordChange,
    targetRules: () => ({ policy: "public" as const, ownHosts: [] }),
    emailSender: "alerts@example.com",
    newSecret: () => newSigningSecret(),
    newToken: newRequestToken,
    now: () => now,
  };
  const by = () => ({
    caller: { organizationId, userId: "ada", sessionId: undefined },
    origin: { requestId: "r", ipAddress: "192.0.2.1" },
    address: "https://api.example.com/",
  });
  const watchChange = createWatchChange({
    send: async (messages) => {
      watched.push(...messages);
      return isQueueDown ? messages.map((message) => ({ message, reason: "down" })) : [];
    },
  });
  const create = createCreateDestination(writing);
  const change = createChangeDestination({ ...writing, watchChange });
  const remove = createDeleteDestination({ ...writing, watchChange });
  const linked = {
    links,
    destinations,
    addresses,
    recordChange,
    watchChange,
    newToken: newRequestToken,
    now: () => now,
  };
  const recordWatched = createRecordWatched({
    destinations,
    publish: async (event) => void published.push(event.detail),
  });
  return {
    destinations,
    recordWatched,
    silencings: (id: string) => createNoticeStore(table).silencings(organizationId, id),
    create: (body: object, id = `request ${++requests}`) =>
      create(DestinationRequest.parse(body), { ...by(), identity: { id, at: now, isKeyed: true, isRepeated: false } }),
    change: (id: string, body: object) => change(id, DestinationChangeRequest.parse(body), by()),
    remove: (id: string) => remove(id, by()),
    open: async (key: string) => emailLinkPage(await createOpenEmailLink(linked)(key)),
    use: async (key: string) => emailLinkPage(await createUseEmailLink(linked)(key, by().origin)),
    keysOf: async (id: string) => {
      const item = await destinations.read(organizationId, id);
      const opened = item && (await secrets.open(organizationId, item.sealed));
      if (opened?.type !== "email") throw new Error("no e-mail");
      return opened;
    },
    status: async (id: string) => (await destinations.read(organizationId, id))?.status,
  };
};

const DAY_MS = 86_400_000;
const TOO_MANY = { code: "too_many_confirmations" };

const webhook = { type: "webhook", name: "SOC", url: "https://soc.example.com/hook" };
let email = { type: "email", name: "On call", address: "" };

beforeEach(() => {
  organizationId = `acme ${++requests}`;
  email = { ...email, address: `oncall-${requests}@example.com` };
  now = Date.UTC(2026, 10, 22, 12);
  isQueueDown = false;
  sent = [];
  recorded = new Map();
  isDying = false;
  watched = [];
  published = [];
});

describe("destinations", () => {
  it("are created once for a repeated request, with the same secret", async () => {
    const { create, destinations } = service();
    const first = await create(webhook, "one");
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await create(webhook, "one")).toEqual(first);
    expect(await destinations.list(organizationId)).toHaveLength(1);
  });

  it("are at most 20, also at once; a deleted one makes room", async () => {
    const { create, remove } = service();
    const { id } = await create(webhook);
    for (let i = 0; i < 18; i++) await create(webhook);
    const results = await Promise.allSettled(Array.from({ length: 3 }, () => create(webhook)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await remove(id);
    await expect(create(webhook)).resolves.toMatchObject({ name: "SOC" });
    await expect(create(webhook)).rejects.toMatchObject({ code: "too_many_destinations" });
  });

  it("are changed by two administrators one after the other, and not brought back after a deletion", async () => {
    const { create, change, remove, status } = service();
    const { id } = await create(webhook);
    const both = await Promise.all([change(id, { name: "A" }), change(id, { name: "B" })]);
    expect(both.map(({ name }) => name)).toEqual(["A", "B"]);
    await Promise.allSettled([change(id, { name: "C" }), remove(id)]);
    expect(await status(id)).toBeUndefined();
    await expect(change(id, { name: "D" })).rejects.toMatchObject({ code: "destination_not_found" });
  });

  it("are not changed by what they are already, and that leaves no event", async () => {
    const { create, change, destinations } = service();
    const body = { ...webhook, filter: { rules: ["b", "a"], levels: ["HIGH"] }, digest: { every: "day" } };
    const { id } = await create(body);
    const before = await destinations.read(organizationId, id);
    recorded.clear();
    now += 60_000;
    const { type: _, ...same } = body;
    await change(id, { ...same, status: "active" });
    expect(await destinations.read(organizationId, id)).toEqual(before);
    expect(recorded.size).toBe(0);
    await change(id, { ...same, url: "https://soc.example.com/other" });
    expect([...recorded.values()]).toMatchObject([{ changed: ["target", "secret"] }]);
  });

  it("keep their secret when only the URL changes, and the URL when only the secret is rolled", async () => {
    const { create, change, destinations } = service();
    const { id, secret } = await create(webhook);
    const opened = async () => {
      const item = await destinations.read(organizationId, id);
      return secrets.open(organizationId, item?.sealed ?? new Uint8Array());
    };
    const url = "https://soc.example.com/other";
    await expect(change(id, { name: "SOC", url })).resolves.not.toHaveProperty("secret");
    expect(await opened()).toEqual({ type: "webhook", url, secrets: [{ secret }] });
    const rolled = await change(id, { name: "SOC", rollSecret: true });
    expect(await opened()).toMatchObject({ url, secrets: [{ secret: rolled.secret }, { secret }] });
  });

  it("keep the old secret for a day when it is rolled", async () => {
    const { create, change, destinations } = service();
    const { id, secret } = await create(webhook);
    const rolled = await change(id, { name: "SOC", rollSecret: true });
    expect(rolled.secret).not.toBe(secret);
    const item = await destinations.read(organizationId, id);
    expect(await secrets.open(organizationId, item?.sealed ?? new Uint8Array())).toMatchObject({
      secrets: [{ secret: rolled.secret }, { secret, validUntil: now + 86_400_000 }],
    });
  });
});

describe("a webhook's secret", () => {
  it("signs for a day after it was replaced, however often; a fifth roll in a day is refused and changes nothing", async () => {
    const { create, change, destinations } = service();
    const { id, secret } = await create(webhook);
    const roll = async () => (await change(id, { name: "SOC", rollSecret: true })).secret;
    const all = [secret];
    for (let i = 0; i < 4; i++) {
      now += 1_500;
      all.unshift(await roll());
    }
    const signing = async () => {
      const item = await destinations.read(organizationId, id);
      const opened = await secrets.open(organizationId, item?.sealed ?? new Uint8Array());
      if (opened.type !== "webhook") throw new Error("no webhook");
      return signingSecrets(opened.secrets, now);
    };
    expect(await signing()).toEqual(all);
    now += DAY_MS - 3 * 1_500 - 1;
    await expect(roll()).rejects.toMatchObject({
      code: "too_many_rolls",
      message: expect.stringContaining("2026-11-23T12:00:02Z"),
    });
    expect(await signing()).toEqual(all);
    now += 501;
    const fifth = await roll();
    expect(await signing()).toEqual([fifth, ...all.slice(0, 4)]);
  });
});

describe("an e-mail address", () => {
  it("is confirmed by the button, not by opening the link, and unsubscribes", async () => {
    const { create, change, open, use, keysOf, status } = service();
    const { id } = await create(email);
    expect(sent).toHaveLength(1);
    await expect(change(id, { name: "x", status: "active" })).rejects.toMatchObject({
      code: "destination_not_confirmed",
    });
    const { confirmKey, unsubscribeKey } = await keysOf(id);
    expect((await open(confirmKey)).html).toContain("<form");
    expect(await status(id)).toBe("unconfirmed");
    await use(confirmKey);
    expect(await status(id)).toBe("active");
    await use(unsubscribeKey);
    await use(unsubscribeKey);
    expect(await status(id)).toBe("paused");
    await use(confirmKey);
    expect(await status(id)).toBe("paused");
    now += 30 * DAY_MS;
    expect((await change(id, { name: "x", status: "active" })).status).toBe("unconfirmed");
    expect([...recorded.values()].map(({ action }) => action)).toEqual([
      "create_destination",
      "confirm_destination",
      "unsubscribe_destination",
      "change_destination",
    ]);
  });

  it("is not confirmed by an expired link, an altered one, or one of another address", async () => {
    const { create, change, use, keysOf, status } = service();
    const { id } = await create(email);
    const { confirmKey } = await keysOf(id);
    await expect(use(`${confirmKey.slice(0, -2)}AA`)).rejects.toMatchObject({ code: "link_not_found" });
    await change(id, { name: "x", address: `other-${email.address}` });
    await expect(use(confirmKey)).rejects.toMatchObject({ code: "link_ended" });
    const { confirmKey: other } = await keysOf(id);
    now += 48 * 3_600_000;
    await expect(use(other)).rejects.toMatchObject({ code: "link_ended" });
    expect(await status(id)).toBe("unconfirmed");
  });

  it("is not stored if its mail cannot be handed over", async () => {
    const { create, destinations } = service();
    isQueueDown = true;
    await expect(create(email)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(await destinations.list(organizationId)).toEqual([]);
    isQueueDown = false;
    await expect(create(email)).resolves.toMatchObject({ status: "unconfirmed" });
  });

  it("can be sent another link after a failure to hand over the mail of a change", async () => {
    const { create, change } = service();
    const { id } = await create(email);
    const moved = { name: "x", address: `other-${email.address}` };
    isQueueDown = true;
    await expect(change(id, moved)).rejects.toMatchObject({ code: "store_unavailable" });
    isQueueDown = false;
    await change(id, moved);
    expect(sent).toHaveLength(2);
  });

  it("gets at most 50 confirmation mails a day for the organization", async () => {
    const { destinations } = service();
    const counted = await Promise.all(
      Array.from({ length: 51 }, () => destinations.countConfirmation(organizationId, "2026-11-22", now)),
    );
    expect(counted.filter(Boolean)).toHaveLength(50);
  });
});

describe("an address over all organizations", () => {
  const of = (organization: string) => {
    organizationId = organization;
  };
  /** Names of new organizations. */
  const four = () => ["a", "b", "c", "d"].map((name) => `${name} ${requests}`);

  it("is asked three times in 24 hours, once by each organization; otherwise nothing is stored", async () => {
    const { create, change, destinations } = service();
    const [first = "", ...others] = four();
    of(first);
    const { id } = await create(email, "one");
    await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    // Neither another spelling nor another destination is another address.
    const [local = "", domain = ""] = email.address.toUpperCase().split("@");
    const respelled = { ...email, address: `${local}+2@${domain}` };
    await expect(create(respelled)).rejects.toMatchObject(TOO_MANY);
    const { id: other } = await create({ ...email, address: `other-${email.address}` });
    await expect(change(other, { name: "x", address: email.address })).rejects.toMatchObject(TOO_MANY);
    now += 60_000;
    await expect(change(id, { name: "x", address: email.address })).rejects.toMatchObject(TOO_MANY);
    const named = (await destinations.list(first)).map((one) => `${one.name} ${one.id}`);
    expect(new Set(named)).toEqual(new Set([`On call ${id}`, `On call ${other}`]));
    for (const [i, organization] of others.entries()) {
      of(organization);
      if (i < 2) await create(email);
      else await expect(create(email)).rejects.toMatchObject(TOO_MANY);
      expect(await destinations.list(organization)).toHaveLength(i < 2 ? 1 : 0);
    }
    expect(sent).toHaveLength(4);
    now += DAY_MS - 60_001;
    await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    now += 1;
    await expect(create(email)).resolves.toMatchObject({ status: "unconfirmed" });
  });

  it("is asked once by a request that is repeated, also at once", async () => {
    const { create } = service();
    await Promise.all([create(email, "one"), create(email, "one"), create(email, "one")]);
    await create(email, "one");
    await expect(create(email, "two")).rejects.toMatchObject(TOO_MANY);
  });

  it("is not asked again by an organization from which it unsubscribed, for 30 days, and by no other destination of it", async () => {
    const { create, remove, change, use, keysOf } = service();
    const { id } = await create(email);
    const { confirmKey, unsubscribeKey } = await keysOf(id);
    await use(confirmKey);
    now += 2 * DAY_MS;
    await use(unsubscribeKey);
    now += 2 * DAY_MS;
    await expect(change(id, { name: "x", status: "active" })).rejects.toMatchObject(TOO_MANY);
    await remove(id);
    await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    const own = organizationId;
    of(`another ${own}`);
    await create(email);
    of(own);
    now += 28 * DAY_MS - 1;
    await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    now += 1;
    await create(email);
  });

  it("is asked no more by an organization whose mail was not for it, after the button, even if the destination was deleted", async () => {
    const { create, change, remove, open, use, keysOf } = service();
    const { id } = await create(email);
    const { notMeKey = "" } = await keysOf(id);
    expect((await open(notMeKey)).html).toContain("<form");
    await change(id, { name: "x", address: `other-${email.address}` });
    await remove(id);
    expect((await open(notMeKey)).html).toContain(organizationId);
    now += DAY_MS;
    await create(email);
    now += DAY_MS;
    for (let i = 0; i < 2; i++) expect((await use(notMeKey)).html).toContain("Thank you");
    await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    now += 30 * DAY_MS - 1;
    await expect(use(notMeKey)).rejects.toMatchObject({ code: "link_ended" });
    await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    now += 1;
    await create(email);
  });

  it("gets nothing more from an organization after the answer, and others stay", async () => {
    const { create, use, keysOf, status } = service();
    const { id } = await create(email);
    const { id: chat } = await create(webhook);
    const { id: other } = await create({ ...email, address: `other-${email.address}` });
    const { confirmKey, notMeKey = "" } = await keysOf(id);
    await use(confirmKey);
    await use((await keysOf(other)).confirmKey);
    await use(notMeKey);
    expect([await status(id), await status(chat), await status(other)]).toEqual(["paused", "active", "active"]);
    expect([...recorded.values()].map(({ action }) => action)).toContain("unsubscribe_destination");
  });

  it("is asked by none after three answers to different organizations, and again after 30 days", async () => {
    const { create, use, keysOf } = service();
    const [a = "", b = "", c = "", last = ""] = four();
    for (const organization of [a, b, c]) {
      of(organization);
      const { id } = await create(email);
      const { notMeKey = "" } = await keysOf(id);
      for (let i = 0; i < 3; i++) await use(notMeKey);
      now += DAY_MS;
      of(last);
      if (organization === c) await expect(create(email)).rejects.toMatchObject(TOO_MANY);
    }
    of(last);
    now += 27 * DAY_MS;
    await create(email);
  });

  it("is remembered by digests that name neither the address nor the organization, until the last answer ends", async () => {
    const { create, use, keysOf } = service();
    const { id } = await create(email);
    const { notMeKey = "" } = await keysOf(id);
    await use(notMeKey);
    const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.deployedName }));
    const own = Items.filter(({ scope, ttl }) => scope.startsWith("address#") && ttl === now / 1_000 + 30 * 86_400);
    expect(own.length).toBeGreaterThan(0);
    expect(JSON.stringify(own)).not.toMatch(/oncall|acme/);
  });
});

describe("the event of a change whose instance died before it recorded the event", () => {
  const dying = async (work: () => Promise<unknown>) => {
    isDying = true;
    await expect(work()).rejects.toThrow("The instance has died.");
    isDying = false;
    expect(recorded.size).toBe(0);
  };
  const events = () => [...recorded.values()];

  it.each(["change", "deletion"])("is recorded once by the next %s, with its own user and time", async (next) => {
    const { create, change, remove, destinations } = service();
    const { id } = await create(webhook);
    recorded.clear();
    const at = now;
    await dying(() => change(id, { name: "A" }));
    now += 60_000;
    await (next === "change" ? change(id, { name: "B" }) : remove(id));
    const second = next === "change" ? "change_destination" : "delete_destination";
    expect(events()).toMatchObject([
      { action: "change_destination", userId: "ada", changed: ["name"] },
      { action: second, userId: "ada" },
    ]);
    expect([...recorded.keys()][0]).toMatch(new RegExp(`^${at} `));
    expect((await destinations.read(organizationId, id))?.change).toBeUndefined();
  });

  it("is recorded once if the destination's creation is repeated or the destination is changed", async () => {
    const { create, change, destinations } = service();
    await dying(() => create(webhook, "one"));
    const { id } = await create(webhook, "one");
    expect(events()).toMatchObject([{ action: "create_destination", userId: "ada" }]);
    await change(id, { name: "A" });
    expect(recorded.size).toBe(2);
    expect(await destinations.list(organizationId)).toHaveLength(1);
  });

  it("is recorded once if the deletion is repeated, or another destination is deleted", async () => {
    const { create, remove, destinations } = service();
    const { id } = await create(webhook);
    const { id: other } = await create(webhook);
    const { id: third } = await create(webhook);
    recorded.clear();
    await dying(() => remove(id));
    await expect(remove(id)).rejects.toMatchObject({ code: "destination_not_found" });
    expect(events()).toMatchObject([{ action: "delete_destination", userId: "ada" }]);
    recorded.clear();
    await dying(() => remove(other));
    await remove(third);
    expect(events()).toMatchObject([{ action: "delete_destination" }, { action: "delete_destination" }]);
    expect(await destinations.listDeletions(organizationId)).toEqual([]);
  });

  it("is recorded by a link of a mail, even if the link was used already", async () => {
    const { create, use, keysOf } = service();
    const { id } = await create(email);
    const { confirmKey, unsubscribeKey } = await keysOf(id);
    recorded.clear();
    await dying(() => use(confirmKey));
    await use(confirmKey);
    expect(events()).toEqual([{ action: "confirm_destination", riskLevel: "MEDIUM" }]);
    recorded.clear();
    await dying(() => use(unsubscribeKey));
    await use(unsubscribeKey);
    expect(events()).toEqual([{ action: "unsubscribe_destination", riskLevel: "HIGH" }]);
  });

  it("is not forgotten with an earlier change", async () => {
    const { create, change, destinations } = service();
    const { id } = await create(webhook);
    expect((await destinations.read(organizationId, id))?.change).toBeUndefined();
    recorded.clear();
    await dying(() => change(id, { name: "A" }));
    const pending = (await destinations.read(organizationId, id))?.change;
    if (pending === undefined) throw new Error("The change was not stored.");
    await destinations.forgetChange(organizationId, { ...pending, version: "another" });
    expect((await destinations.read(organizationId, id))?.change).toEqual(pending);
  });
});

describe("a change that silences a destination", () => {
  const old = async (id: string, { destinations }: ReturnType<typeof service>) => {
    const item = await destinations.read(organizationId, id);
    if (item === undefined) throw new Error("There is no destination.");
    const { target, sealed } = item;
    return { target, sealed };
  };

  it.each<[string, (does: ReturnType<typeof service>, id: string) => Promise<unknown>]>([
    ["was paused by a user", ({ change }, id) => change(id, { name: "SOC", status: "paused" })],
    [
      "has another URL or address",
      ({ change }, id) => change(id, { name: "SOC", url: "https://soc.example.com/hook?other" }),
    ],
    ["takes fewer alerts than before", ({ change }, id) => change(id, { name: "SOC", filter: { changes: [] } })],
    [
      "holds serious alerts for summaries",
      ({ change }, id) => change(id, { name: "SOC", digest: { every: "day", timeZone: "UTC" } }),
    ],
    ["was deleted", ({ remove }, id) => remove(id)],
  ])("keeps the old address for its alert, and is watched: it %s", async (what, silence) => {
    const does = service();
    const { id } = await does.create(webhook);
    const former = await old(id, does);
    recorded.clear();
    await silence(does, id);
    const [silencing, ...others] = await does.silencings(id);
    const title = expect.stringContaining(`"SOC" ${what}`);
    expect([silencing, others]).toMatchObject([{ destinationId: id, former, title }, []]);
    expect(silencing?.former).toEqual(former);
    // The delivery has the id of the security event.
    expect(silencing?.eventId).toBe(newestId);
    expect([...recorded.values()]).toMatchObject([{ riskLevel: "HIGH" }]);
    const body = { organizationId, destinationId: id, deliveryId: silencing?.eventId, isWatch: true };
    expect(watched).toEqual([{ body, delaySeconds: 60, group: organizationId }]);
  });

  it("that is made twice is one", async () => {
    const { create, change, silencings } = service();
    const { id } = await create(webhook);
    for (let i = 0; i < 2; i++) await change(id, { name: "SOC", status: "paused" });
    expect([(await silencings(id)).length, watched.length]).toEqual([1, 1]);
  });

  it("of a recipient who unsubscribed keeps no address", async () => {
    const { create, use, keysOf, silencings } = service();
    const { id } = await create(email);
    const { confirmKey, unsubscribeKey } = await keysOf(id);
    await use(confirmKey);
    for (let i = 0; i < 2; i++) await use(unsubscribeKey);
    const found = await silencings(id);
    expect(found).toHaveLength(1);
    expect(found[0]).not.toHaveProperty("former");
  });

  it("is none of a destination that is renamed, paused or unconfirmed", async () => {
    const { create, change, remove, silencings } = service();
    const { id } = await create(webhook);
    const { id: unconfirmed } = await create(email);
    await change(id, { name: "Renamed", rollSecret: true });
    expect([await silencings(id), [...recorded.values()].map((one) => Object(one).riskLevel)]).toEqual([
      [],
      Array(3).fill("MEDIUM"),
    ]);
    await change(id, { name: "SOC", status: "paused" });
    for (const filter of [{ changes: [] }, { levels: ["LOW"] }]) await change(id, { name: "SOC", filter });
    await remove(id);
    await remove(unconfirmed);
    expect([(await silencings(id)).length, await silencings(unconfirmed)]).toEqual([1, []]);
  });

  it("changes nothing if the queue does not take the message that watches it", async () => {
    const { create, change, remove, status, silencings } = service();
    const { id } = await create(webhook);
    isQueueDown = true;
    for (const silence of [() => change(id, { name: "SOC", status: "paused" }), () => remove(id)])
      await expect(silence()).rejects.toMatchObject({ code: "store_unavailable" });
    expect([await status(id), await silencings(id)]).toEqual(["active", []]);
  });

  it.each<[string, (does: ReturnType<typeof service>, id: string) => Promise<unknown>]>([
    ["a pause", ({ change }, id) => change(id, { name: "SOC", status: "paused" })],
    ["a deletion", ({ remove }, id) => remove(id)],
  ])("whose instance died is recorded by its message, once: %s", async (_name, silence) => {
    const does = service();
    const { id } = await does.create(webhook);
    isDying = true;
    await expect(silence(does, id)).rejects.toThrow("The instance has died.");
    isDying = false;
    const [message] = watched;
    for (let i = 0; i < 2; i++) await does.recordWatched(DeliveryMessage.parse(message?.body));
    const [silencing] = await does.silencings(id);
    expect(published.map(({ event }) => event)).toMatchObject([
      {
        id: silencing?.eventId,
        eventType: "NOTIFICATIONS_CHANGED",
        riskLevel: "HIGH",
        alertGenerated: true,
        resource: id,
        userId: "ada",
        timestamp: now,
      },
    ]);
    expect(SecurityEventSchema.parse(published[0]?.event)).toEqual(published[0]?.event);
  });

  it("that is recorded already is not recorded by its message", async () => {
    const { create, change, recordWatched } = service();
    const { id } = await create(webhook);
    await change(id, { name: "SOC", status: "paused" });
    await recordWatched(DeliveryMessage.parse(watched[0]?.body));
    expect(published).toEqual([]);
  });
});
