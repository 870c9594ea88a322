import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ServiceUnderTest, startService } from "../support/service.ts";
import { synthesiseWith } from "../support/synthesise-with.ts";

const SECURITY = "/api/integrations/provider/security";

let directory: string;
let service: ServiceUnderTest;
beforeAll(async () => {
  directory = synthesiseWith({ RETENTION_DAYS: "1", SECURITY_LOG_LEVEL: "high", ALERT_THRESHOLD: "critical" });
  service = await startService({ assembly: directory });
});
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe("a deployment with settings of its own", () => {
  it("forgets events after its retention, and raises alerts from its threshold on only", async () => {
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
  }, 60_000);
});
