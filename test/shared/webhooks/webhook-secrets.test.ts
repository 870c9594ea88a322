import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { ConnectionSecrets } from "../../../shared/connection/connection-secrets.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createWebhookSecrets } from "../../../shared/webhooks/webhook-connection-store.ts";

const MINUTE = 60_000;
let time: { now: number };
beforeEach(() => {
  time = { now: 1_000 };
});

const createSecrets = () => {
  const openWebhookSecrets = jest.fn<ConnectionSecrets["openWebhookSecrets"]>(async (organizationId, sealed) => [
    { secret: `${organizationId} ${sealed.join()}` },
  ]);
  return { openWebhookSecrets, secrets: createWebhookSecrets({ openWebhookSecrets }, () => time.now) };
};
const sealed = (...bytes: number[]) => Uint8Array.from(bytes);

describe("webhook secrets", () => {
  it("are opened once in five minutes", async () => {
    const { secrets, openWebhookSecrets } = createSecrets();
    for (const after of [0, 1, 5 * MINUTE - 1]) {
      time.now = 1_000 + after;
      expect(await secrets.open("acme", sealed(1, 2))).toEqual(["acme 1,2"]);
    }
    expect(openWebhookSecrets).toHaveBeenCalledTimes(1);
    time.now = 1_000 + 5 * MINUTE;
    await secrets.open("acme", sealed(1, 2));
    expect(openWebhookSecrets).toHaveBeenCalledTimes(2);
  });

  it("take effect at once when they are changed", async () => {
    const { secrets } = createSecrets();
    await secrets.open("acme", sealed(1));
    expect(await secrets.open("acme", sealed(2))).toEqual(["acme 2"]);
  });

  it("open only for their own organization, even if copied into another's connection", async () => {
    const { secrets, openWebhookSecrets } = createSecrets();
    await secrets.open("acme", sealed(1));
    await secrets.open("eve", sealed(1));
    expect(openWebhookSecrets).toHaveBeenCalledTimes(2);
  });

  it("that cannot be opened are opened again at the next delivery", async () => {
    const { secrets, openWebhookSecrets } = createSecrets();
    openWebhookSecrets.mockRejectedValueOnce(new DomainError("store_unavailable", "KMS did not answer."));
    await expect(secrets.open("acme", sealed(1))).rejects.toThrow("KMS");
    expect(await secrets.open("acme", sealed(1))).toEqual(["acme 1"]);
  });

  it("are cached up to a limit, and the oldest are removed first", async () => {
    const { secrets, openWebhookSecrets } = createSecrets();
    for (let i = 0; i <= 500; i++) await secrets.open(`org ${i}`, sealed(1));
    await secrets.open("org 500", sealed(1));
    await secrets.open("org 1", sealed(1));
    expect(openWebhookSecrets).toHaveBeenCalledTimes(501);
    await secrets.open("org 0", sealed(1));
    expect(openWebhookSecrets).toHaveBeenCalledTimes(502);
  });
});
