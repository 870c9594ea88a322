import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import esbuild from "esbuild";
import { bundleOptions } from "../../infra/bundling/bundle-functions.ts";
import { slimProviderSdk } from "../../infra/bundling/provider-sdk.ts";
import type { createStripeAdapter } from "../../shared/provider/stripe/adapter.ts";
import * as given from "../shared/provider/stripe/fixtures.ts";
import { json, list, refusal, startWireServer, type WireServer } from "../shared/provider/stripe/wire-server.ts";

const ADAPTER = join(import.meta.dirname, "../../shared/provider/stripe/adapter.ts");

let directory: string;
let server: WireServer;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "provider-sdk-"));
  server = await startWireServer();
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

/** Bundles the adapter alone. @returns the file and its size */
const bundle = async (name: string, isSlim: boolean) => {
  const outfile = join(directory, `${name}.cjs`);
  const plugins = isSlim ? [slimProviderSdk()] : [];
  const { metafile } = await esbuild.build({
    ...bundleOptions,
    entryPoints: [ADAPTER],
    outfile,
    plugins,
    metafile: true,
  });
  return { outfile, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
};

describe("the provider's SDK in a bundle", () => {
  it("is a third of the whole SDK, and the adapter works with it", async () => {
    const [slim, whole] = await Promise.all([bundle("slim", true), bundle("whole", false)]);
    expect(whole.bytes - slim.bytes).toBeGreaterThan(190_000);
    expect(slim.bytes).toBeLessThan(105_000);

    const bundled: { createStripeAdapter: typeof createStripeAdapter } = createRequire(import.meta.url)(slim.outfile);
    const adapter = bundled.createStripeAdapter({ url: server.url, clock: Date.now });
    const as = () => adapter.at({ secret: "sk_1", signal: AbortSignal.timeout(60_000) });
    server.answers(
      json(200, { id: "acct_1" }),
      list([given.customer]),
      json(200, given.invoice),
      list([given.invoicePayment]),
      list([given.event("customer.updated", given.customer)]),
      json(200, { access_token: "at", refresh_token: "rt", stripe_user_id: "acct_1" }),
      refusal(429, { type: "invalid_request_error" }, { "Stripe-Rate-Limited-Reason": "global-rate" }),
    );
    await expect(as().readAccount()).resolves.toEqual({ accountId: "acct_1" });
    await expect(as().listObjects("customers", {})).resolves.toMatchObject({ items: [{ id: "cus_Q1" }] });
    await expect(as().readObject("invoices", "in_1")).resolves.toMatchObject({ kind: "state", id: "in_1" });
    await expect(as().listPaymentLinks({})).resolves.toMatchObject({ items: [{ id: "pi_1" }] });
    await expect(as().listEvents({})).resolves.toMatchObject({ items: [{ id: "evt_1" }] });
    await expect(
      adapter.oauth.exchange({ code: "ac" }, { secret: "sk_platform", signal: AbortSignal.timeout(60_000) }),
    ).resolves.toMatchObject({
      accessToken: "at",
    });
    await expect(as().readAccount()).rejects.toMatchObject({ kind: "rate_limit" });
  });
});
