import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ServiceUnderTest, startService } from "../support/service.ts";
import { synthesiseWith } from "../support/synthesise-with.ts";

const SECURITY = "/api/integrations/provider/security";

let service: ServiceUnderTest;
beforeAll(async () => {
  const context = { RETENTION_DAYS: "1", SECURITY_LOG_LEVEL: "high", ALERT_THRESHOLD: "critical" };
  service = await startService({ assembly: await synthesiseWith("own-settings", context) });
});
afterAll(() => service.stop());

describe("a deployment with other settings", () => {
  it("deletes events after its retention, and raises alerts only from its threshold on", async () => {
    const admin = await service.mint({ organizationId: "acme" });
    const eve = await service.mint({ organizationId: "acme", role: "guest", userId: "eve" });
    await service.request("GET", SECURITY, { token: eve });
    const before = await service.request("GET", `${SECURITY}?since=0`, { token: admin });
    expect(before.body).toMatchObject({
      events: [{ riskLevel: "HIGH", alertGenerated: false }],
      stats: { totalEvents: 1 },
    });
    expect(before.body).not.toMatchObject({ events: [{ alertLevel: expect.anything() }] });
    await service.advance(26 * 3_600_000, "last");
    const later = await service.mint({ organizationId: "acme" });
    expect((await service.request("GET", `${SECURITY}?since=0`, { token: later })).body).toEqual({
      events: [],
      highRiskEvents: [],
      stats: { totalEvents: 0, highRiskEvents: 0, failureRate: 0, avgResponseTime: 0 },
      suspiciousActivity: [],
    });
  });
});
