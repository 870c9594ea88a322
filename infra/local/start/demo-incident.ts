/**
 * What the demo organization has to tell at its first start: somebody tries old tokens of the user bob, then gets in as bob
 * from another address and reads the customers; and a forged webhook arrives. All of it happens by requests, so events,
 * alert and evidence are real.
 */
import { request } from "node:http";
import { mintToken } from "../commands/mint-token.ts";
import type { RunningStack } from "../commands/stack-file.ts";

/** Addresses of this machine. The first tries the tokens, the second gets in. */
const TRYING = "127.0.0.66";
const INSIDE = "127.0.0.99";

/** Detection finds the fifth, and further ones of one user in a minute would only be counted. */
const ATTEMPTS = 5;
const EXPIRED_S = -3_600;

const READS = ["records/customers", "records/payments", "records/invoices"];

type Sent = { from: string; method: "GET" | "POST"; url: string; headers: Record<string, string>; body?: string };

/** Sends a request from an address, and waits for the whole answer. */
const send = ({ from, method, url, headers, body }: Sent): Promise<void> =>
  new Promise((resolve, reject) => {
    request(url, { method, headers, localAddress: from }, (response) => response.resume().once("end", resolve))
      .once("error", reject)
      .end(body);
  });

/**
 * @param organizationId the demo organization, connected.
 * @throws Error if the machine has no such addresses (macOS has only 127.0.0.1), or a server does not answer.
 */
export const actDemoIncident = async (
  { apiUrl, webhookUrl, issuerUrl }: RunningStack,
  organizationId: string,
): Promise<void> => {
  const tokenOf = (claims: object) =>
    mintToken(issuerUrl, { organizationId, role: "billing", userId: "bob", ...claims });
  const read = async (from: string, path: string, token: string): Promise<void> => {
    const url = `${apiUrl}/api/integrations/provider/${path}`;
    await send({ from, method: "GET", url, headers: { authorization: `Bearer ${token}`, "user-agent": "curl/8.5.0" } });
  };
  const old = await tokenOf({ expiresInSeconds: EXPIRED_S });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) await read(TRYING, "records/customers", old);
  const stolen = await tokenOf({});
  for (const path of READS) await read(INSIDE, path, stolen);
  if (webhookUrl === undefined) return;
  const headers = { "content-type": "application/json", "stripe-signature": "t=1,v1=00" };
  await send({ from: INSIDE, method: "POST", url: `${webhookUrl}/${organizationId}`, headers, body: "{}" });
};
