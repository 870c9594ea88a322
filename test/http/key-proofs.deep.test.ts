/** API keys that no scheduled run proves often enough, in a deployment that syncs once a week. */
import { expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { synthesiseWith } from "../support/synthesise-with.ts";
import { useConnected, useService } from "../support/use-service.ts";

const HOUR = 3_600_000;
const PLATFORM = { path: "-/platform", secret: "whsec_local_platform" };

const context = {
  SYNC_INTERVAL_HOURS: "168",
  platformWebhookSecretArn: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:platform-AbCdEf",
};

const service = await useService({ assembly: await synthesiseWith("weekly", context) });
const { ours, account, sender } = useConnected(service, { name: "weekly" });

it("are proved between runs, so that platform events keep arriving, but not while the circuit is held", async () => {
  const held = organizationOf(service, `${ours.organizationId}-held`);
  await held.connect(account.apiKey);
  await held.lastRun();
  await held.call("POST", "circuit-breaker", { action: "force_open", reason: "maintenance" });
  const proofs = async (organization: typeof ours) => {
    const operations = await organization.events("eventType=PROVIDER_REQUEST&since=0");
    return operations.filter(({ action }) => action === "read_account");
  };
  const before = (await proofs(ours)).length;
  const heldBefore = (await proofs(held)).length;
  for (let round = 1; round <= 2; round++) {
    await service.advance(13 * HOUR, "last");
    await eventually(`proof ${round}`, async () => ((await proofs(ours)).length >= before + round ? true : undefined));
  }
  expect((await proofs(ours))[0]).toMatchObject({ source: "system", success: true, resource: account.accountId });
  await expect(ours.call("GET", "connection")).resolves.toMatchObject({ body: { platformEvents: true } });
  await expect(held.call("GET", "connection")).resolves.toMatchObject({ body: { platformEvents: false } });
  expect(await proofs(held)).toHaveLength(heldBefore);
  const event = { ...(await sender.customerEvent("created", "cus_day_2")), account: account.accountId };
  expect(await sender.send(event, PLATFORM)).toMatchObject({ status: 200 });
  const stopped = (organization: typeof ours) => organization.events("eventType=PLATFORM_EVENTS_STOPPED");
  await eventually("the event is withheld of the other", async () =>
    (await stopped(held)).length === 1 ? true : undefined,
  );
  expect(await stopped(ours)).toEqual([]);
});
