/**
 * 300 deliveries of one organization whose receivers never answer, and another organization's notification beside them. The
 * queues of this cloud are not fair, so only the sender's bound helps.
 */
import { afterAll, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { rangeOf } from "../support/depth.ts";
import { eventually } from "../support/integration.ts";
import { startTestCloud } from "../support/local-cloud.ts";
import { useReceivers } from "../support/use-service.ts";

const PROVIDER = "/api/integrations/provider";
const [DESTINATIONS, ALERTS] = [20, 15];
const DELIVERIES = DESTINATIONS * ALERTS;
/** Deliveries of the organization that may have been tried by then. Without the bound, nearly all have. */
const FEW = 100;
/** More than an organization's slots. */
const INSTANCES = 12;
const HOUR_MS = 3_600_000;

const startReceiver = useReceivers();
const cloud = await startTestCloud({ areQueuesFair: false, maxInstances: INSTANCES });
afterAll(async () => {
  await cloud.stop();
  expect(cloud.denials).toEqual([]);
});

/** The cloud works on 300 deliveries, so a request may find it busy (503) and is repeated. */
const as = (organizationId: string) => async (path: string, body: object) => {
  const token = await cloud.token({ organizationId, role: "admin", userId: "ada" });
  let answer = await cloud.call("POST", `${PROVIDER}/${path}`, { token, body });
  while (answer.status === 503) answer = await cloud.call("POST", `${PROVIDER}/${path}`, { token, body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string };
};

/** The messages of the queue of deliveries, and its dead letters. */
const depths = async () => {
  const queues = await controlOf(cloud).queues();
  const depthOf = (name: RegExp) =>
    queues
      .filter((queue) => name.test(queue.name))
      .reduce((sum, { depth: { visible, inFlight } }) => sum + visible + inFlight, 0);
  return { waiting: depthOf(/ToSend(?!DeadLetters)/), dead: depthOf(/ToSendDeadLetters/) };
};

it("an organization's deliveries that hang wait for few slots, others overtake them, and none is lost", async () => {
  const [silent, working] = [await startReceiver(), await startReceiver()];
  silent.answer = () => undefined;
  const tried = () => new Set(silent.received.map(({ headers }) => headers["webhook-id"])).size;
  const [one, other] = [as("hanging"), as("working")];
  const { id } = await other("notifications", { type: "webhook", name: "SOC", url: working.url });
  for (const i of rangeOf(DESTINATIONS))
    await one("notifications", { type: "webhook", name: `${i}`, url: `${silent.origin}/${i}` });
  for (const i of rangeOf(ALERTS)) {
    await one("security/alert", { action: "generate_alert", title: `Alert ${i}`, riskLevel: "LOW" });
    await eventually("its deliveries are made", async () => (await depths()).waiting >= DESTINATIONS * (i + 1));
  }

  await other(`notifications/${id}/test`, {});
  await eventually(
    "the sample arrives, or many others were tried",
    async () => working.received.length > 0 || tried() >= FEW,
  );
  expect(working.received).toHaveLength(1);
  expect(tried()).toBeGreaterThan(0);
  expect(tried()).toBeLessThan(FEW);
  expect((await depths()).waiting).toBeGreaterThan(DELIVERIES - FEW);

  silent.answer = (response) => response.writeHead(204).end();
  await eventually("all deliveries arrive", async () => {
    await cloud.advanceClock(HOUR_MS);
    return (await depths()).waiting === 0;
  });
  expect(tried()).toBe(DELIVERIES);
  expect((await depths()).dead).toBe(0);
});
