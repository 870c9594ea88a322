/** The endpoints of notifications over HTTP. What is sent is in notifications-sending.deep.test.ts, moved clocks in deep files. */
import { describe, expect, it } from "@jest/globals";
import { mailboxOf, pageOf } from "../support/confirmation-mail.ts";
import { deepIt } from "../support/deep-it.ts";
import { sampleOf } from "../support/depth.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useReceivers, useSharedService } from "../support/use-service.ts";

const UNKNOWN = "01KB0000000000000000000000";

const service = await useSharedService();

const startReceiver = useReceivers();

type Destination = { id: string; status: string; target: string; secret?: string; oldSecretValidUntil?: number };
type Delivery = { id: string; type: string; status: string; error?: string; attempts: { status?: number }[] };

const webhook = { type: "webhook", name: "SOC", url: "https://soc.example.com/hook?token=of-the-url" };
const slack = { type: "slack", name: "#alerts", url: "https://hooks.slack.com/services/T0/B0/of-the-url" };

let organizations = 0;

/** Requests of a new organization's users. */
const freshOrganization = () => {
  const { organizationId, call, events: eventsOf } = organizationOf(service, `destinations-${++organizations}`);
  const as = async <Body>(claims: object, [method, path]: readonly [string, string], body?: object, key?: string) => {
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const answer = await call(method, `notifications${path}`, body, claims, headers);
    return { ...answer, body: answer.body as Body };
  };
  const ask = <Body = unknown>(method: string, path: string, body?: object, key?: string) =>
    as<Body>({}, [method, path], body, key);
  const list = async () => (await ask<Destination[]>("GET", "")).body;
  const create = async (body: object) => {
    const { status, body: created } = await ask<Destination>("POST", "", body);
    expect(status).toBe(201);
    return created;
  };
  const deliveries = async (id: string, query = "") => await ask<Delivery[]>("GET", `/${id}/deliveries${query}`);
  const events = async () => (await eventsOf("eventType=NOTIFICATIONS_CHANGED")).reverse();
  const alerts = async () => (await call("GET", "security/alert")).body;
  return { organizationId, as, ask, list, create, deliveries, events, alerts };
};

const problem = (status: number, error: number, message = "") => ({
  status,
  body: { error, message: expect.stringContaining(message) },
});

describe("destinations", () => {
  it("are created, listed, changed, paused, resumed and deleted, each with its event", async () => {
    const { create, list, ask, events } = freshOrganization();
    const { secret, ...created } = await create(webhook);
    expect(secret).toMatch(/^whsec_/);
    expect(created).toMatchObject({
      type: "webhook",
      status: "active",
      target: "https://soc.example.com/hook",
      createdBy: "ada",
    });
    const { secret: _, ...other } = await create({ ...webhook, name: "Other", filter: { levels: ["CRITICAL"] } });
    expect(other).toMatchObject({ name: "Other", filter: { levels: ["CRITICAL"] } });
    expect(await list()).toEqual([created, other]);
    const quietHours = { from: "22:00", to: "07:00", timeZone: "Europe/Berlin", exceptCritical: true };
    const path = `/${created.id}`;
    expect(await ask("PUT", path, { name: "Night", status: "paused", quietHours })).toMatchObject({
      status: 200,
      body: { name: "Night", status: "paused", pausedBecause: "user", pausedAt: expect.any(Number), quietHours },
    });
    const { body: resumed } = await ask<Destination>("PUT", path, { name: "Day", status: "active" });
    expect(resumed).toMatchObject({ name: "Day", status: "active" });
    for (const gone of ["pausedAt", "pausedBecause", "quietHours"]) expect(resumed).not.toHaveProperty(gone);
    expect((await ask("DELETE", path)).status).toBe(204);
    // It may be failing by now: the alerts about the changes go to it, and tests do not reach it.
    expect(await list()).toMatchObject([other]);
    expect(await ask("DELETE", path)).toMatchObject(problem(404, 40409));
    // The last one, because alerts about changes go to all destinations, and this test must not ask the chat's own host.
    const chat = await create(slack);
    expect(chat).toMatchObject({ target: "hooks.slack.com/…" });
    expect(chat).not.toHaveProperty("secret");
    const recorded = await events();
    expect(recorded.map(({ action, metadata }) => [action, (metadata as { changed?: string[] }).changed])).toEqual([
      ["create_destination", undefined],
      ["create_destination", undefined],
      ["change_destination", ["name", "quietHours", "status", "pausedAt", "pausedBecause"]],
      ["change_destination", ["name", "quietHours", "pausedAt", "pausedBecause", "status"]],
      ["delete_destination", undefined],
      ["create_destination", undefined],
    ]);
    expect(recorded[0]).toMatchObject({
      category: "compliance",
      userId: "ada",
      ipAddress: "127.0.0.1",
      resource: created.id,
    });
  });

  deepIt("show a secret once, also when it is rolled, and never their URL", async () => {
    const { create, ask, list, events } = freshOrganization();
    const first = await create(webhook);
    const path = `/${first.id}`;
    const { body: rolled } = await ask<Destination>("PUT", path, { name: "SOC", rollSecret: true });
    expect(rolled).toMatchObject({ secret: expect.stringMatching(/^whsec_/), oldSecretValidUntil: expect.any(Number) });
    expect(rolled.secret).not.toBe(first.secret);
    expect((await ask("PUT", path, { name: "SOC" })).body).not.toHaveProperty("secret");
    const chat = await create(slack);
    expect(await ask("PUT", `/${chat.id}`, { name: "x", rollSecret: true })).toMatchObject(
      problem(400, 40002, "rollSecret"),
    );
    const seen = JSON.stringify([await list(), await events(), await service.logged()]);
    for (const secret of [first.secret, rolled.secret, "of-the-url"]) expect(seen).not.toContain(secret?.slice(6));
  });

  it.each<[string, object]>(
    sampleOf(
      [
        ["expected one of the types", { ...webhook, type: "pager" }],
        ["url: must begin with https://", { ...webhook, url: "http://soc.example.com/" }],
        ["url: must not contain a user name", { ...webhook, url: "https://ada:secret@soc.example.com/" }],
        ["url: must use port 443", { ...webhook, url: "https://soc.example.com:25/" }],
        ["url: must not have a fragment", { ...webhook, url: "https://soc.example.com/#a" }],
        ["url: expected an https URL", { ...webhook, url: "ftp://soc.example.com/" }],
        ["quietHours.timeZone", { ...webhook, quietHours: { from: "22:00", to: "07:00", timeZone: "Mars/Base" } }],
        ["quietHours.to", { ...webhook, quietHours: { from: "22:00", to: "22:00", timeZone: "UTC" } }],
        ["digest.timeZone", { ...webhook, digest: { every: "day", timeZone: "Mars/Base" } }],
        ["filter.levels.0", { ...webhook, filter: { levels: ["high"] } }],
        ["address", { type: "email", name: "x", address: "Ada <ada@example.com>" }],
        ["name", { ...webhook, name: "" }],
      ],
      4,
    ),
  )("are refused with %s", async (message, body) => {
    const { ask, list } = freshOrganization();
    expect(await ask("POST", "", body)).toMatchObject(problem(400, 40002, message));
    expect(await list()).toEqual([]);
  });

  deepIt("are not inside of the network, whatever the notation of the address", async () => {
    const { ask, list, create } = freshOrganization();
    const { id } = await create(webhook);
    const hosts = [
      "10.0.0.1",
      "192.168.1.1",
      "172.16.0.1",
      "169.254.169.254",
      "100.64.0.1",
      "0.0.0.0",
      "224.0.0.1",
      "167772161",
      "0x0a000001",
      "012.0.0.1",
      "10.1",
      "１０.0.0.1",
      "[fd00::1]",
      "[fe80::1]",
      "[::]",
      "[::ffff:10.0.0.1]",
      "[64:ff9b::a00:1]",
      "[2002:a00:1::]",
      "metadata.google.internal",
      "intranet",
      "a.local",
    ];
    for (const host of hosts) {
      const url = `https://${host}/`;
      // The form of a URL is ASCII; full-width digits are refused before.
      const message = host.startsWith("１") ? "url: " : "url: must have a host on the public internet";
      expect(await ask("POST", "", { ...webhook, url })).toMatchObject(problem(400, 40002, message));
    }
    expect(await ask("PUT", `/${id}`, { name: "x", url: "https://10.0.0.1/" })).toMatchObject(
      problem(400, 40002, "url"),
    );
    expect(await list()).toMatchObject([{ target: "https://soc.example.com/hook", name: "SOC" }]);
  });

  deepIt("are not the service itself, neither the API nor the console nor the webhooks", async () => {
    const { ask, list, create } = freshOrganization();
    const { id } = await create(webhook);
    const { apiUrl = "", consoleUrl = "", webhookUrl = "" } = service.stack;
    for (const own of [apiUrl, consoleUrl, webhookUrl]) {
      const refused = problem(400, 40002, "url: must not be an address of this service");
      expect(await ask("POST", "", { ...webhook, url: new URL("hook", own).href })).toMatchObject(refused);
      expect(await ask("PUT", `/${id}`, { name: "x", url: own })).toMatchObject(refused);
    }
    expect(await list()).toMatchObject([{ target: "https://soc.example.com/hook", name: "SOC" }]);
  });

  deepIt("take only fields of their type when they change", async () => {
    const { create, ask } = freshOrganization();
    const { id } = await create(webhook);
    for (const foreign of [{ address: "ada@example.com" }, { reports: ["daily"] }]) {
      const [name] = Object.keys(foreign);
      expect(await ask("PUT", `/${id}`, { name: "x", ...foreign })).toMatchObject(problem(400, 40002, `${name}: `));
    }
    expect(await ask("PUT", `/${UNKNOWN}`, { name: "x" })).toMatchObject(problem(404, 40409));
  });

  it("are of one organization, and for administrators", async () => {
    const { create, as, ask, organizationId } = freshOrganization();
    const { id } = await create(webhook);
    const { body: sample } = await ask<Delivery>("POST", `/${id}/test`);
    const requests = [
      ["GET", ""],
      ["POST", "", webhook],
      ["PUT", `/${id}`, { name: "x" }],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/test`],
      ["GET", `/${id}/deliveries`],
      ["POST", `/deliveries/${sample.id}/retry`],
    ] as const;
    for (const [method, path, body] of requests)
      expect(await as({ role: "member" }, [method, path], body)).toMatchObject(problem(403, 40301));
    const other = { organizationId: `${organizationId}-other` };
    expect(await as(other, ["GET", ""])).toMatchObject({ status: 200, body: [] });
    for (const [method, path, body] of requests.slice(2, 6))
      expect(await as(other, [method, path], body)).toMatchObject(problem(404, 40409));
    expect(await as(other, ["POST", `/deliveries/${sample.id}/retry`])).toMatchObject(problem(404, 40410));
    expect((await ask<Destination[]>("GET", "")).body).toHaveLength(1);
  });

  it("are created once for an idempotency key", async () => {
    const { ask, as, list } = freshOrganization();
    const first = await ask<Destination>("POST", "", webhook, "soc-1");
    const { secret, ...shown } = first.body;
    expect(secret).toMatch(/^whsec_/);
    expect(await ask("POST", "", webhook, "soc-1")).toMatchObject({ status: 201, body: shown });
    expect((await ask("POST", "", webhook, "soc-1")).body).not.toHaveProperty("secret");
    expect(await ask("POST", "", slack, "soc-1")).toMatchObject(problem(409, 40905));
    expect(await list()).toHaveLength(1);
    const ofBob = await as<Destination>({ userId: "bob" }, ["POST", ""], webhook, "soc-1");
    expect(ofBob.body.id).not.toBe(first.body.id);
    expect(ofBob.body.secret).not.toBe(secret);
    expect(await list()).toHaveLength(2);
    const sample = await ask<Delivery>("POST", `/${first.body.id}/test`, undefined, "test-1");
    expect((await ask<Delivery>("POST", `/${first.body.id}/test`, undefined, "test-1")).body.id).toBe(sample.body.id);
  });

  deepIt("take two changes at once one after the other, and stay deleted", async () => {
    const { create, ask, list, events } = freshOrganization();
    const { id } = await create(webhook);
    const both = await Promise.all(["A", "B"].map((name) => ask("PUT", `/${id}`, { name })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const [changed, deleted] = await Promise.all([ask("PUT", `/${id}`, { name: "C" }), ask("DELETE", `/${id}`)]);
    expect(deleted.status).toBe(204);
    expect([200, 404]).toContain(changed.status);
    expect(await list()).toEqual([]);
    const changes = (await events()).filter(({ action }) => action === "change_destination");
    expect(changes).toHaveLength(changed.status === 200 ? 3 : 2);
  });
});

describe("deliveries", () => {
  it("of a sample arrive, are paged, and are retried only if they failed", async () => {
    const receiver = await startReceiver();
    const { create, ask, deliveries } = freshOrganization();
    const { id } = await create({ ...webhook, url: receiver.url });
    expect(await ask("POST", `/${UNKNOWN}/test`)).toMatchObject(problem(404, 40409));
    const first = await ask<Delivery>("POST", `/${id}/test`);
    expect(first).toMatchObject({
      status: 202,
      body: { type: "notification.test", status: "pending", requestedBy: "ada", attempts: [] },
    });
    const ended = ({ id: wanted }: Delivery, what: string) =>
      eventually(`the sample has ${what}`, async () =>
        (await deliveries(id)).body.find((one) => one.id === wanted && one.status !== "pending"),
      );
    expect(await ended(first.body, "arrived")).toMatchObject({ status: "delivered", attempts: [{ status: 204 }] });
    expect(await ask("POST", `/deliveries/${first.body.id}/retry`)).toMatchObject(problem(409, 40911, "has arrived"));

    receiver.answer = (response) => {
      receiver.answer = (next) => next.writeHead(204).end();
      return response.writeHead(410).end();
    };
    const second = await ask<Delivery>("POST", `/${id}/test`);
    expect(await ended(second.body, "failed")).toMatchObject({ status: "failed", error: "gone" });
    const retry = `/deliveries/${second.body.id}/retry`;
    expect(await ask("POST", retry)).toMatchObject(problem(409, 40913));
    expect(await ask("POST", `/${id}/test`)).toMatchObject(problem(409, 40913));
    await ask("PUT", `/${id}`, { name: "SOC", status: "active" });
    for (let i = 0; i < 2; i++)
      expect(await ask("POST", retry, undefined, "again")).toMatchObject({ status: 202, body: { id: second.body.id } });
    expect(await ended(second.body, "arrived")).toMatchObject({
      status: "delivered",
      attempts: [{ status: 410 }, { status: 204 }],
    });

    const paged: Delivery[] = [];
    let query = "?limit=1";
    while (query !== "") {
      const page = await deliveries(id, query);
      paged.push(...page.body);
      query = page.next === undefined ? "" : new URL(page.next, "http://localhost").search;
    }
    // The alert about the pause comes, too, if it finds the destination resumed.
    const samples = paged.filter(({ type }) => type === "notification.test");
    expect(samples.map((one) => one.id)).toEqual([second.body.id, first.body.id]);
    expect(await deliveries(id, "?limit=0")).toMatchObject({ status: 400 });
    expect(await deliveries(id, "?cursor=abc")).toMatchObject({ status: 400 });
    for (const unknown of [`${id}.${UNKNOWN}`, "abc"])
      expect(await ask("POST", `/deliveries/${unknown}/retry`)).toMatchObject(problem(404, 40410));
  });
});

describe("samples", () => {
  it("are ten a minute and organization, then 429 with Retry-After, and others' go on", async () => {
    const { create, ask } = freshOrganization();
    const [first, second] = [await create(webhook), await create(slack)];
    const keyed = await ask<Delivery>("POST", `/${first.id}/test`, undefined, "sample");
    for (let i = 0; i < 9; i++) expect((await ask("POST", `/${i % 2 ? first.id : second.id}/test`)).status).toBe(202);
    const refused = await ask("POST", `/${second.id}/test`);
    expect(refused).toMatchObject(problem(429, 42901, "10 samples a minute"));
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await ask("POST", `/${first.id}/test`, undefined, "sample")).toMatchObject({
      status: 202,
      body: keyed.body,
    });
    const others = freshOrganization();
    const { id } = await others.create(webhook);
    expect((await others.ask("POST", `/${id}/test`)).status).toBe(202);
  });
});

describe("a change by which a destination gets fewer alerts", () => {
  deepIt("is told to the other destination and to the changed one, and to no other organization", async () => {
    const [changed, other, foreign] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    const { create, ask, alerts } = freshOrganization();
    await freshOrganization().create({ ...webhook, url: foreign.url });
    const { id } = await create({ ...webhook, url: changed.url });
    // Neither its filter nor its digest takes the alert.
    const digest = { every: "day", at: "08:00", timeZone: "UTC" };
    await create({ ...webhook, name: "Other", url: other.url, filter: { levels: ["CRITICAL"] }, digest });
    expect((await ask("PUT", `/${id}`, { name: "SOC", status: "paused" })).status).toBe(200);
    const alert = { rule: "notifications_silenced", subject: id, level: "HIGH", count: 1 };
    const title = 'The destination of notifications "SOC" was paused by a user';
    for (const receiver of [changed, other]) {
      const [arrived] = await receiver.until(1);
      expect(JSON.parse(arrived?.body ?? "")).toMatchObject({
        type: "security.alert.raised",
        data: { alert: { ...alert, title } },
      });
    }
    expect(await alerts()).toEqual([expect.objectContaining({ ...alert, title, status: "open" })]);
    // The same again changes nothing, and its alert is not raised again.
    expect((await ask("PUT", `/${id}`, { name: "SOC", status: "paused" })).status).toBe(200);
    expect(await alerts()).toMatchObject([{ count: 1 }]);
    expect([changed, other, foreign].map(({ received }) => received.length)).toEqual([1, 1, 0]);
  });
});

describe("an e-mail destination", () => {
  it("gets nothing but a mail to confirm, which only the button confirms, and one click ends it", async () => {
    const { create, ask, deliveries, list, events, organizationId } = freshOrganization();
    const address = `${organizationId}@example.com`;
    const { id, ...created } = await create({ type: "email", name: "On call", address, reports: ["weekly"] });
    expect(created).toMatchObject({ status: "unconfirmed", target: address, reports: ["weekly"] });
    expect(created).not.toHaveProperty("secret");
    expect(await ask("POST", `/${id}/test`)).toMatchObject(problem(409, 40912));
    expect(await ask("PUT", `/${id}`, { name: "x", status: "active" })).toMatchObject(problem(409, 40912));
    expect(await ask("PUT", `/${id}`, { name: "x", url: "https://soc.example.com/" })).toMatchObject(
      problem(400, 40002, "url"),
    );

    const mailbox = mailboxOf(service.stack, address);
    const { confirm, unsubscribe, headers } = await mailbox.newest(1);
    expect(headers).toMatchObject({ "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" });
    expect(JSON.stringify([await deliveries(id), await events()])).not.toContain(
      new URL(confirm).searchParams.get("key"),
    );

    const asking = await pageOf("GET", confirm);
    expect(asking).toMatchObject({
      status: 200,
      type: "text/html; charset=utf-8",
      text: expect.stringContaining('<form method="post">'),
    });
    expect(await list()).toMatchObject([{ status: "unconfirmed" }]);
    // A browser posts the form with this content type and no body.
    expect(await pageOf("POST", confirm, "")).toMatchObject({
      status: 200,
      text: expect.stringContaining("is confirmed"),
    });
    expect(await list()).toMatchObject([{ status: "active" }]);
    expect(await pageOf("POST", confirm)).toMatchObject({ status: 200, text: expect.stringContaining("is confirmed") });

    expect((await ask("POST", `/${id}/test`)).status).toBe(202);
    const sample = await mailbox.newest(2);
    expect(sample.headers).toMatchObject({ "List-Unsubscribe": `<${unsubscribe}>` });
    expect((await pageOf("GET", unsubscribe)).text).toContain("<form");
    expect(await list()).toMatchObject([{ status: "active" }]);
    expect((await pageOf("POST", unsubscribe, "List-Unsubscribe=One-Click")).status).toBe(200);
    expect(await list()).toMatchObject([{ status: "paused", pausedBecause: "unsubscribed" }]);
    expect((await pageOf("POST", confirm, "")).text).toContain("is paused");
    expect(await list()).toMatchObject([{ status: "paused" }]);
    expect((await events()).map(({ action, userId }) => [action, userId])).toEqual([
      ["create_destination", "ada"],
      ["confirm_destination", undefined],
      ["unsubscribe_destination", undefined],
    ]);
    // An administrator cannot overrule the recipient, neither by resuming nor by another destination.
    expect(await ask("PUT", `/${id}`, { name: "x", status: "active" })).toMatchObject(problem(409, 40915));
    expect(await list()).toMatchObject([{ name: "On call", status: "paused" }]);
    await ask("DELETE", `/${id}`);
    expect(await ask("POST", "", { type: "email", name: "On call", address })).toMatchObject(problem(409, 40915));
    expect(await list()).toEqual([]);
    expect((await pageOf("POST", unsubscribe, "")).status).toBe(410);
    expect((await mailbox.newest(2)).confirm).toBe(sample.confirm);
  });

  deepIt(
    "must be confirmed again at another address, and takes no links of the one before, nor altered ones",
    async () => {
      const { create, ask, list, organizationId } = freshOrganization();
      const address = `${organizationId}@example.com`;
      const { id } = await create({ type: "email", name: "On call", address });
      const { confirm } = await mailboxOf(service.stack, address).newest(1);
      const altered = `${confirm.slice(0, -4)}${confirm.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
      for (const method of ["GET", "POST"]) {
        expect(await pageOf(method, altered)).toMatchObject({ status: 404, text: expect.stringContaining("40406") });
        expect(await pageOf(method, confirm.replace(/key=.*/, "key=a.b"))).toMatchObject({ status: 400 });
        expect(await pageOf(method, confirm.replace(/\?.*/, ""))).toMatchObject({
          status: 401,
          text: expect.stringContaining("40101"),
        });
      }
      const moved = await ask("PUT", `/${id}`, { name: "On call", address: `new-${address}` });
      expect(moved).toMatchObject({ status: 200, body: { status: "unconfirmed", target: `new-${address}` } });
      for (const method of ["GET", "POST"])
        expect(await pageOf(method, confirm)).toMatchObject({ status: 410, text: expect.stringContaining("41001") });
      const { confirm: other } = await mailboxOf(service.stack, `new-${address}`).newest(1);
      expect((await pageOf("POST", other)).status).toBe(200);
      expect(await list()).toMatchObject([{ status: "active" }]);
      await ask("DELETE", `/${id}`);
      expect(await pageOf("POST", other)).toMatchObject({ status: 410 });
    },
  );

  deepIt("is asked by three organizations a day, and by none that its owner did not ask", async () => {
    const address = `stranger-${++organizations}@example.com`;
    const body = { type: "email", name: "Go to https://evil.example/unlock", address };
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => freshOrganization());
    if (!first || !second || !third || !fourth) throw new Error("An organization is missing.");
    const { id } = await first.create(body);
    expect(await first.ask("POST", "", body)).toMatchObject(problem(409, 40915));
    const mailbox = mailboxOf(service.stack, address);
    const { notMe, text } = await mailbox.newest(1);
    expect(text).toContain("Destination: Go to https: / / evil. example/ unlock\n");
    for (const { create } of [second, third]) await create(body);
    expect(await fourth.ask("POST", "", body)).toMatchObject(problem(409, 40915));
    expect(await fourth.list()).toEqual([]);

    await first.ask("DELETE", `/${id}`);
    expect(await pageOf("GET", notMe)).toMatchObject({ status: 200, text: expect.stringContaining("<form") });
    expect(await pageOf("POST", notMe, "")).toMatchObject({ status: 200, text: expect.stringContaining("30 days") });
    expect((await pageOf("POST", notMe.replace(/.{4}$/, "AAAA"), "")).status).toBe(404);
    await mailbox.newest(3);
    expect(await first.ask("POST", "", body)).toMatchObject(problem(409, 40915));
    expect((await second.list()).map(({ status }) => status)).toEqual(["unconfirmed"]);
  });
});
