import * as z from "zod";
import type { LocalCloud } from "../cloud/local-cloud.ts";
import { mintToken } from "../commands/mint-token.ts";
import type { RunningStack } from "../commands/stack-file.ts";
import { actDemoIncident } from "./demo-incident.ts";
import { actKeyStory } from "./demo-key-story.ts";
import { postJson, readAnswer } from "./post-json.ts";

/** The organization that `npm start` connects, so that there is data to look at. */
const DEMO_ORGANIZATION = "demo";

/** The secret of the demo organization's webhooks; it protects nothing. */
const WEBHOOK_SECRET = "whsec_local_demo";

const CONNECTION = "/api/integrations/provider/connection";
const Connection = z.object({ status: z.string(), accountId: z.string().optional() });

/** Has the simulator send its webhooks to this start's address. */
const sendWebhooks = async (stack: RunningStack, accountId: string): Promise<void> => {
  if (stack.webhookUrl === undefined) return;
  const body = { accountId, url: `${stack.webhookUrl}/${DEMO_ORGANIZATION}`, secret: WEBHOOK_SECRET };
  await postJson(`${stack.controlUrl}/provider/webhooks`, body);
};

/** Some trade, so that there is something to count: two payments, a declined one, a refund and a payout. */
const TRADE = [
  "create_payment",
  "succeed_payment",
  "create_payment",
  "succeed_payment",
  "create_payment",
  "fail_payment",
  "refund",
  "create_payout",
];

const trade = async ({ controlUrl }: RunningStack, accountId: string): Promise<void> => {
  for (const [seed, action] of TRADE.entries()) {
    await postJson(`${controlUrl}/provider/changes`, { accountId, action, seed });
  }
};

/**
 * Connects the demo organization to the simulator by the API itself, as an administrator would, and lets two incidents
 * (demo-incident.ts, demo-key-story.ts) and some trade happen to it, unless it was connected at an earlier start. Without a
 * simulator nothing happens.
 * @returns the demo organization's id, if there is one.
 * @throws Error with the API's answer.
 */
export const connectDemo = async ({ stack, demo }: Pick<LocalCloud, "stack" | "demo">): Promise<string | undefined> => {
  if (demo === undefined || stack.apiUrl === undefined) return undefined;
  const claims = { organizationId: DEMO_ORGANIZATION, role: "admin", userId: "local-cloud" };
  const headers = { "content-type": "application/json" };
  const token = await mintToken(stack.issuerUrl, claims);
  const call = async (method: "GET" | "PUT", body?: object) =>
    Connection.parse(
      await readAnswer(
        await fetch(`${stack.apiUrl}${CONNECTION}`, {
          method,
          headers: { ...headers, authorization: `Bearer ${token}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      ),
    );
  const known = await call("GET");
  if (known.accountId === undefined) {
    await call("PUT", { method: "api_key", apiKey: demo.apiKey, webhookSecret: WEBHOOK_SECRET });
    // Without the addresses that it needs, the demo organization only has less to tell.
    await actDemoIncident(stack, DEMO_ORGANIZATION).catch(() => undefined);
  }
  await sendWebhooks(stack, demo.accountId);
  if (known.accountId === undefined) {
    await trade(stack, demo.accountId);
    await actKeyStory(stack, demo.accountId, token);
  }
  return DEMO_ORGANIZATION;
};
