import { afterAll, describe, expect, it } from "@jest/globals";
import { type Planted, evident as secret } from "../shared/security/redaction/redact-arbitraries.ts";
import { engineClient, everything } from "../support/everything.ts";
import { fc } from "../support/fixed-seed.ts";
import { useService } from "../support/use-service.ts";

const SECURITY = "/api/integrations/provider/security";

const service = await useService();
const tables = engineClient(service);
afterAll(() => tables.destroy());

describe("a secret in a request", () => {
  it("is not stored, logged or published, wherever it was sent", async () => {
    const token = await service.mint({ organizationId: "acme" });
    const guest = await service.mint({ organizationId: "acme", role: "guest", userId: "eve" });
    const planted: Planted[] = [];
    await fc.assert(
      fc.asyncProperty(secret, secret, secret, secret, async (inTitle, inMessage, inMetadata, inAgent) => {
        planted.push(inTitle, inMessage, inMetadata, inAgent);
        const body = {
          action: "generate_alert",
          riskLevel: "high",
          title: `about ${inTitle.written} `.slice(0, 256),
          message: `it said ${inMessage.written} and more`,
          metadata: { amount: 1_795_219_200_000, nested: [{ note: `with ${inMetadata.written} in it` }] },
        };
        const made = await service.request("POST", `${SECURITY}/alert`, { token, body: JSON.stringify(body) });
        expect(made.status).toBe(200);
        await fetch(new URL(SECURITY, service.stack.apiUrl), {
          headers: { authorization: `Bearer ${guest}`, "user-agent": `agent ${encodeURIComponent(inAgent.written)}` },
        });
      }),
      { seed: 20_261_121, numRuns: 25 },
    );
    const seen = await everything(service, tables);
    expect(seen).toContain("1795219200000");
    expect(seen).toContain("[redacted:");
    for (const { needles } of planted) for (const needle of needles) expect(seen).not.toContain(needle);
  });
});
