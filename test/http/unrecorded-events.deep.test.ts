import { describe, expect, it } from "@jest/globals";
import { controlOf } from "../support/control.ts";
import { startService } from "../support/service.ts";
import { useAlteredAssemblies } from "../support/use-service.ts";

const HOUR_MS = 3_600_000;

const assemblies = useAlteredAssemblies();

describe("an event that cannot be restored", () => {
  it("stays visible or in flight, becomes a dead letter after ten hours, and can be replayed", async () => {
    await using service = await startService({
      assembly: assemblies.without(
        ({ role, action, resource }) =>
          /CreatePlant|RestoreSecurityEvents/.test(role) &&
          action === "dynamodb:PutItem" &&
          resource.includes("TablesSecurityEvents"),
      ),
    });
    const { queue, redrive } = controlOf(service);
    const expired = await service.mint({ organizationId: "acme", expiresInSeconds: -120 });
    expect((await service.request("POST", "/plants", { token: expired, body: "{}" })).status).toBe(401);
    await service.advance(HOUR_MS);
    const waiting = await queue(/UnrecordedSecurityEvents/);
    // More receives than SQS counts in the age of the oldest message: only the depth shows the event.
    expect(waiting.messages).toMatchObject([{ receiveCount: expect.any(Number) }]);
    expect(waiting.messages[0]?.receiveCount).toBeGreaterThan(3);
    expect(waiting.depth.visible + waiting.depth.inFlight).toBe(1);

    await service.advance(9 * HOUR_MS + 120_000);
    expect((await queue(/UnrecordedSecurityEvents/)).messages).toEqual([]);
    const deadLetters = await queue(/UnrecordedDeadLetters/);
    expect(deadLetters.depth).toEqual({ visible: 1, inFlight: 0 });

    expect(await redrive(deadLetters.name)).toMatchObject({ moved: 1 });
    expect((await queue(/UnrecordedSecurityEvents/)).messages).toMatchObject([{ receiveCount: 1 }]);
  });
});
