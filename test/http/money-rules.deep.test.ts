/** The rules over money over HTTP: counted from webhooks and the feed, judged at once, with the hour, and again when it grows. */
import { beforeAll, describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { eventually } from "../support/integration.ts";
import { providerSdk } from "../support/provider-objects.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useService } from "../support/use-service.ts";
import { watchedOrganization } from "../support/watched-organization.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const SECRET = "whsec_of_money_rules";
const PATIENCE = 120_000;

const service = await useService();
const provider = simulatedProvider(service);
const fireDetection = () => controlOf(service).fire(/detection/i);

beforeAll(async () => {
  // Early in an hour, so that all payments lie in it on a slow machine, too.
  await service.advance(HOUR - (Date.now() % HOUR) + 10 * MINUTE);
}, PATIENCE);

const pay = async (apiKey: string, count: number, method: string): Promise<void> => {
  const { paymentIntents } = providerSdk(service, apiKey);
  for (let i = 0; i < count; i++) {
    const intent = { amount: 100, currency: "eur", confirm: true, payment_method: method } as const;
    await paymentIntents.create(intent).catch(() => undefined);
  }
};

describe("the rules over money", () => {
  it(
    "find tested cards by webhooks and by the feed, once",
    async () => {
      const hooked = watchedOrganization(service, "money-hooked");
      const fed = watchedOrganization(service, "money-fed");
      const accounts = await Promise.all([provider.account(2), provider.account(2)]);
      const [first, second] = accounts;
      await hooked.connect(first.apiKey, { webhookSecret: SECRET });
      await hooked.lastRun();
      expect(await fed.connectAndSync(second.apiKey)).toMatchObject({ status: "succeeded" });
      const { webhookUrl } = (await hooked.call("GET", "connection")).body as { webhookUrl: string };
      await provider.webhooks(first.accountId, { url: webhookUrl, secret: SECRET });
      // The second of the connect is not counted.
      await service.advance(2_000);
      for (const { apiKey } of accounts) await pay(apiKey, 31, "pm_card_visa_chargeDeclined");
      await provider.flush();
      await eventually("the webhooks are counted", async () => {
        const [today] = (await hooked.call("GET", "money?days=1")).body as { payments: { failed: number } }[];
        return today?.payments.failed === 31;
      });
      expect(await fed.sync()).toMatchObject({ status: "succeeded" });
      expect([await hooked.found(), await fed.found()]).toEqual([[], []]);

      await service.advance(HOUR);
      await fireDetection();
      await eventually("both are found", async () => {
        const found = [await hooked.found(), await fed.found()];
        return found.every((alerts) => alerts.includes("card_testing payments HIGH 1"));
      });
      await fireDetection();
      expect(await hooked.found()).toContain("card_testing payments HIGH 1");
    },
    PATIENCE,
  );

  it(
    "find early fraud warnings at once, the third of a day HIGH, and disputes with the hour",
    async () => {
      const ours = watchedOrganization(service, "money-warned");
      const { accountId, apiKey } = await provider.account(2);
      expect(await ours.connectAndSync(apiKey)).toMatchObject({ status: "succeeded" });
      await service.advance(2_000);
      const { paymentIntents } = providerSdk(service, apiKey);
      const ids: string[] = [];
      for (let i = 0; i < 3; i++) {
        const { id } = await paymentIntents.create({ amount: 2_000, currency: "eur", confirm: true });
        ids.push(id);
        await provider.change(accountId, { action: "early_fraud_warning", id });
        await provider.change(accountId, { action: "dispute", id });
      }
      expect(await ours.sync()).toMatchObject({ status: "succeeded" });
      const warnings = (await ours.found()).filter((one) => one.startsWith("early_fraud_warning")).sort();
      expect(warnings.map((one) => one.split(" ")[1]).sort()).toEqual(ids.map((id) => `warning:${id}`).sort());
      expect(warnings.map((one) => one.split(" ")[2]).sort()).toEqual(["HIGH", "MEDIUM", "MEDIUM"]);
      await service.advance(HOUR);
      await fireDetection();
      await eventually("the disputes are found", async () =>
        (await ours.found()).includes("dispute_rise disputes HIGH 1"),
      );
    },
    PATIENCE,
  );

  it("are previewed by the kept counts, with their settings", async () => {
    const ours = watchedOrganization(service, "money-fed");
    const rule = { rule: "card_testing", enabled: true, thresholds: { failed: 32 } };
    const { body } = await ours.call("POST", "detection/previews", { days: 1, rule });
    const { id } = body as { id: string };
    type Preview = { status: string; result?: { now: { alerts: number }; then: { alerts: number } } };
    let preview: Preview | undefined;
    await eventually("the preview has ended", async () => {
      preview = (await ours.call("GET", `detection/previews/${id}`)).body as Preview;
      return preview.status === "succeeded";
    });
    expect([preview?.result?.now.alerts, preview?.result?.then.alerts]).toEqual([1, 0]);
  });
});
