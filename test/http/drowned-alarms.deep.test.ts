/** Attackers hide what matters among refusals that anybody can cause. docs/threat-model.md lists this threat. */
import { request } from "node:http";
import { beforeAll, expect, it } from "@jest/globals";
import { eventually, PROVIDER } from "../support/integration.ts";
import { requestFrom } from "../support/request-from.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useReceivers, useService } from "../support/use-service.ts";
import { watchedOrganization } from "../support/watched-organization.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PATIENCE = 120_000;

const service = await useService();
const startReceiver = useReceivers();

beforeAll(async () => {
  // Early in an hour, so that an attack lies in it on a slow machine, too.
  await service.advance(HOUR - (Date.now() % HOUR) + 10 * MINUTE);
}, PATIENCE);

/** Does the work for each item, four at a time. */
const each = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> => {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
};

const addresses = (network: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${network}.${index + 1}`);

it("80 forged webhooks from 80 addresses raise one alert, and hide no CRITICAL one", async () => {
  const ours = watchedOrganization(service, "webhooked");
  const receiver = await startReceiver();
  await ours.call("POST", "notifications", { type: "webhook", name: "SOC", url: receiver.url });
  const { apiKey } = await simulatedProvider(service).account(2);
  await ours.connect(apiKey, { webhookSecret: "whsec_webhooked" });
  const sender = webhookSender(service, "webhooked", "whsec_webhooked");
  const body = JSON.stringify(await sender.customerEvent("created", "cus_forged"));
  const headers = { "content-type": "application/json", "stripe-signature": `t=1,v1=${"0".repeat(64)}` };
  const forge = (localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { method: "POST", headers, localAddress };
      request(`${service.stack.webhookUrl}/webhooked`, options, (response) => {
        response.resume().once("end", () => resolve(response.statusCode));
      })
        .once("error", reject)
        .end(body);
    });
  const from = addresses("127.0.2", 80);
  await each(from.slice(0, 40), async (address) => expect(await forge(address)).toBe(400));
  const critical = { action: "generate_alert", title: "Money leaves the account", riskLevel: "CRITICAL" };
  await Promise.all([
    ours.call("POST", "security/alert", critical),
    each(from.slice(40), async (address) => expect(await forge(address)).toBe(400)),
  ]);
  await eventually("the destination is told of the CRITICAL alert", async () =>
    receiver.received.some((one) => one.body.includes(critical.title)) ? true : undefined,
  );
  const alerts = (await ours.alerts()).map(({ rule, subject, level }) => [rule, subject, level]);
  expect(alerts).toHaveLength(2);
  expect(alerts).toContainEqual(["event_threshold", "webhooks", "HIGH"]);
}, 120_000);

it("a break-in among 200 expired tokens of made-up users is a CRITICAL alert, and an event names the user", async () => {
  const ours = watchedOrganization(service, "broken-into");
  const refuse = async (userId: string, address: string) => {
    const token = await ours.as({ userId, expiresInSeconds: -120 });
    expect((await requestFrom(service, address, ["GET", "/plants"], token)).status).toBe(401);
  };
  const strangers = Array.from({ length: 200 }, (_, index) => `stranger-${index}`);
  const hide = (users: readonly string[]) =>
    each(users, (userId) => refuse(userId, `127.0.3.${1 + (Number(userId.split("-")[1]) % 20)}`));
  await hide(strangers.slice(0, 100));
  for (let attempt = 0; attempt < 8; attempt++) await refuse("ada", "127.0.4.1");
  await hide(strangers.slice(100));
  // Instances count what waits in their memory with their next requests.
  await service.advance(2_500);
  await each(Array.from({ length: 40 }), async () =>
    service.request("GET", "/plants", { token: await ours.as({ userId: "bob" }) }),
  );
  const broken = await requestFrom(
    service,
    "127.0.4.2",
    ["GET", `${PROVIDER}/settings`],
    await ours.as({ userId: "ada" }),
  );
  expect(broken.status).toBe(200);
  const refusals = await ours.events("eventType=AUTHENTICATION_FAILURE");
  expect(refusals.length).toBeLessThanOrEqual(40);
  const named = refusals.filter(
    ({ userId, metadata }) => userId === "ada" || JSON.stringify(metadata).includes('"ada"'),
  );
  expect(named.length).toBeGreaterThan(0);
  await service.advance(HOUR);
  const found = await eventually("the hour is judged", async () => {
    const lines = await ours.found();
    return lines.some((line) => line.includes("user:ada")) ? lines : undefined;
  });
  expect(found).toContain("repeated_auth_failures user:ada CRITICAL 1");
}, 240_000);
