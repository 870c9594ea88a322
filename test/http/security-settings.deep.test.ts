import { describe, expect, it } from "@jest/globals";
import { synthesiseWith } from "../support/synthesise-with.ts";
import { useService } from "../support/use-service.ts";

const SECURITY = "/api/integrations/provider/security";

const context = { RETENTION_DAYS: "1", SECURITY_LOG_LEVEL: "high", ALERT_THRESHOLD: "critical" };
const service = await useService({ assembly: await synthesiseWith("own-settings", context) });

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
