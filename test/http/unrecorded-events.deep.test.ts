import { afterAll, describe, expect, it } from "@jest/globals";
import { createAlteredAssemblies } from "../support/altered-assembly.ts";
import { type ServiceUnderTest, startService } from "../support/service.ts";

const HOUR_MS = 3_600_000;

const assemblies = createAlteredAssemblies();
afterAll(() => assemblies.remove());

type Shown = { depth: { visible: number; inFlight: number }; messages: { receiveCount: number }[] };

/** The name and the content of a queue. */
const queueOf = async ({ stack }: ServiceUnderTest, pattern: RegExp): Promise<Shown & { name: string }> => {
  const { queues } = (await (await fetch(`${stack.controlUrl}/`)).json()) as { queues: { name: string }[] };
  const name = queues.find((queue) => pattern.test(queue.name))?.name ?? "";
  return { ...((await (await fetch(`${stack.controlUrl}/queues/${name}`)).json()) as Shown), name };
};

describe("an event that cannot be restored", () => {
  it("stays visible or in flight, becomes a dead letter after ten hours, and can be replayed", async () => {
    const service = await startService({
      assembly: assemblies.without(
        ({ role, action, resource }) =>
          /CreatePlant|RestoreSecurityEvents/.test(role) &&
          action === "dynamodb:PutItem" &&
          resource.includes("TablesSecurityEvents"),
      ),
    });
    try {
      const expired = await service.mint({ organizationId: "acme", expiresInSeconds: -120 });
      expect((await service.request("POST", "/plants", { token: expired, body: "{}" })).status).toBe(401);
      await service.advance(HOUR_MS);
      const waiting = await queueOf(service, /UnrecordedSecurityEvents/);
      // More receives than SQS counts in the age of the oldest message: only the depth shows the event.
      expect(waiting.messages).toMatchObject([{ receiveCount: expect.any(Number) }]);
      expect(waiting.messages[0]?.receiveCount).toBeGreaterThan(3);
      expect(waiting.depth.visible + waiting.depth.inFlight).toBe(1);

      await service.advance(9 * HOUR_MS + 120_000);
      expect((await queueOf(service, /UnrecordedSecurityEvents/)).messages).toEqual([]);
      const deadLetters = await queueOf(service, /UnrecordedDeadLetters/);
      expect(deadLetters.depth).toEqual({ visible: 1, inFlight: 0 });

      const replay = await fetch(`${service.stack.controlUrl}/queues/${deadLetters.name}/redrive`, { method: "POST" });
      expect(await replay.json()).toMatchObject({ moved: 1 });
      expect((await queueOf(service, /UnrecordedSecurityEvents/)).messages).toMatchObject([{ receiveCount: 1 }]);
    } finally {
      await service.stop();
    }
  });
});
