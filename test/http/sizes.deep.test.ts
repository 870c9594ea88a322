/** The limits of docs/limits.md over HTTP, with characters of every width: stored and returned exactly, and never a 5xx. */
import { describe, expect, it } from "@jest/globals";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const token = await service.mint({ organizationId: "sizes", role: "admin", userId: "ada" });

const SECURITY = "/api/integrations/provider/security";

describe.each(["x", "é", "漢", "😀", "\u0000", '"', "\\", "\u2028"])("texts of %j", (character) => {
  const send = (method: string, path: string, body: object) =>
    service.request(method, path, { token, body: JSON.stringify(body) });
  const id = character.codePointAt(0) ?? 0;

  it("are returned exactly at the limit, and refused beyond it", async () => {
    const plant = { name: character.repeat(256), tag: character.repeat(128) };
    expect(await send("POST", "/plants", { id, ...plant })).toMatchObject({ status: 200, body: plant });
    expect((await service.request("GET", "/plants", { token })).body).toContainEqual(plant);
    expect((await send("POST", "/plants", { id: id + 1, name: character.repeat(257) })).status).toBe(400);

    const alert = { title: character.repeat(256), message: character.repeat(1_024) };
    const generate = { action: "generate_alert", riskLevel: "LOW", metadata: { n: character.repeat(300) } };
    const answer = await send("POST", `${SECURITY}/alert`, { ...generate, ...alert });
    expect(answer).toMatchObject({ status: 200, body: { alert: { ...alert, metadata: generate.metadata } } });
    expect((await service.request("GET", `${SECURITY}/alert`, { token })).body).toContainEqual(
      expect.objectContaining(alert),
    );

    const reason = character.repeat(512);
    const path = "/api/integrations/provider/circuit-breaker";
    expect(await send("POST", path, { action: "force_close", reason })).toMatchObject({
      status: 200,
      body: { reason },
    });
    expect((await send("POST", path, { action: "reset", reason: `${reason}x` })).status).toBe(400);
    expect((await send("POST", path, { action: "reset" })).status).toBe(200);
  });
});
