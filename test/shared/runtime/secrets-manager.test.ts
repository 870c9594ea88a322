/** The functions' client of Secrets Manager and its cache; the client also against the local cloud's service. */
import { inspect } from "node:util";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { createSecretsManagerService } from "../../../infra/local/gateway/secrets-manager-service.ts";
import { createCachedSecret, createSecretsManager } from "../../../shared/runtime/secrets-manager.ts";
import { type Attempt, attempts, startScriptedStore } from "../../support/scripted-store.ts";
import { stackModel } from "../../support/stack-model.ts";
import { startTestGateway } from "../../support/test-gateway.ts";

const arn = (name: string) => `arn:aws:secretsmanager:eu-central-1:000000000000:secret:${name}-AbCdEf`;
const credentials = { accessKeyId: "key", secretAccessKey: "secret" };
const unavailable = { name: "DomainError", code: "store_unavailable" };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  jest.restoreAllMocks();
});

const against = async (...script: Attempt[]) => {
  const store = await startScriptedStore(script);
  stops.push(store.stop);
  return { store, read: createSecretsManager({ region: "eu-central-1", endpoint: store.endpoint, credentials }) };
};

const logLines = () => {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  return () => write.mock.calls.map(([line]) => String(line)).join("");
};

describe("the client of Secrets Manager", () => {
  it("reads the current value, and repeats a throttled request", async () => {
    const { store, read } = await against(attempts.throttle(), attempts.succeed({ SecretString: "sk_1" }));
    await expect(read(arn("oauth"))).resolves.toBe("sk_1");
    expect(store.requests.map(({ body }) => body)).toEqual([{ SecretId: arn("oauth") }, { SecretId: arn("oauth") }]);
  });

  it.each<[string, Attempt]>([
    ["hangs", attempts.hang()],
    ["fails", attempts.fail()],
    ["is behind a broken proxy", attempts.speakHtml()],
  ])("is unavailable if the service %s", async (_name, answer) => {
    const lines = logLines();
    const { read } = await against(answer);
    await expect(read(arn("oauth"))).rejects.toMatchObject(unavailable);
    expect(lines()).toBe("");
  });

  it.each(["AccessDeniedException", "ResourceNotFoundException", "DecryptionFailure"])(
    "calls the operators at %s, which lasts",
    async (name) => {
      const lines = logLines();
      const { read } = await against(attempts.refuse(name));
      await expect(read(arn("oauth"))).rejects.toMatchObject(unavailable);
      expect(lines()).toContain('"alarm":"platform_secret"');
    },
  );

  it("never shows an answer in an error or a log line", async () => {
    const lines = logLines();
    const { read } = await against(attempts.refuse("AccessDeniedException", { message: "sk_live_leak" }));
    const error = await read(arn("oauth")).catch((caught: unknown) => caught);
    expect(inspect(error, { depth: 9 }) + lines()).not.toContain("sk_live_leak");
  });

  it("reads only the secret that the role names", async () => {
    const allow = { Effect: "Allow", Action: "secretsmanager:GetSecretValue", Resource: arn("oauth") } as const;
    const model = stackModel({ roles: { exchanger: [allow] } });
    for (const fn of model.functions) Object.assign(fn.environment, { SECRET_ARN: arn("oauth") });
    let value: string | undefined = "sk_1";
    const values = (variable: string) => (variable === "SECRET_ARN" ? value : undefined);
    const secretsmanager = createSecretsManagerService({ model, values });
    const gateway = await startTestGateway(model, { services: { secretsmanager } });
    stops.push(gateway.close);
    const read = createSecretsManager(gateway.placeOf("exchanger"));
    await expect(read(arn("oauth"))).resolves.toBe("sk_1");
    value = "sk_2";
    await expect(read(arn("oauth"))).resolves.toBe("sk_2");
    const lines = logLines();
    await expect(read(arn("webhooks"))).rejects.toMatchObject(unavailable);
    expect(lines()).toContain("AccessDeniedException");
    value = undefined;
    await expect(read(arn("oauth"))).rejects.toMatchObject(unavailable);
  });
});

describe("a cached secret", () => {
  const createWorld = (options: { rereadAfterMs?: number } = {}) => {
    const world = { now: 1_000_000, value: "a", reads: 0 };
    const read = async () => {
      world.reads++;
      return world.value;
    };
    return { world, secret: createCachedSecret(read, () => world.now, options) };
  };

  it("is read once in five minutes, also for concurrent callers", async () => {
    const { world, secret } = createWorld();
    await expect(Promise.all([secret.current(), secret.current()])).resolves.toEqual(["a", "a"]);
    world.value = "b";
    world.now += 299_999;
    await expect(secret.current()).resolves.toBe("a");
    world.now += 1;
    await expect(secret.current()).resolves.toBe("b");
    expect(world.reads).toBe(2);
  });

  it("is read again at once if it was refused, and returned only if it differs", async () => {
    const { world, secret } = createWorld();
    await secret.current();
    await expect(secret.refused("a")).resolves.toBeUndefined();
    world.value = "b";
    await expect(secret.refused("a")).resolves.toBe("b");
    await expect(secret.refused("a")).resolves.toBe("b");
    await expect(secret.current()).resolves.toBe("b");
    expect(world.reads).toBe(3);
  });

  it("is not read again for strangers before its time", async () => {
    const { world, secret } = createWorld({ rereadAfterMs: 10_000 });
    await secret.current();
    world.value = "b";
    world.now += 9_999;
    await expect(secret.refused("a")).resolves.toBeUndefined();
    world.now += 1;
    await expect(secret.refused("a")).resolves.toBe("b");
    expect(world.reads).toBe(2);
  });

  it("is read again after a failed read", async () => {
    const read = jest.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("down")).mockResolvedValue("a");
    const secret = createCachedSecret(read, () => 0);
    await expect(secret.current()).rejects.toThrow("down");
    await expect(secret.current()).resolves.toBe("a");
  });
});
