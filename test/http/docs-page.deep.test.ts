import { afterAll, describe, expect, it } from "@jest/globals";
import { shareBrowser } from "../support/browser.ts";
import { useService } from "../support/use-service.ts";

const service = await useService();
const browser = await shareBrowser([service.stack.apiUrl ?? "", service.stack.issuerUrl]);
afterAll(browser.stop);

describe("the page /docs in a browser", () => {
  it("sends requests as ada of demo after one click", async () => {
    const { page, complaints, foreignRequests } = await browser.open({ path: "/docs", width: 1_300 });
    await page.getByRole("button", { name: "Send requests as ada of demo" }).click();
    await page.getByRole("button", { name: "Requests are sent as ada of demo" }).waitFor();
    const block = page.locator('[id$="-getCaller"]');
    await block.locator(".opblock-summary-control").click();
    await block.locator(".execute").click();
    const answer = await block.locator(".live-responses-table").innerText();
    expect(answer).toMatch(/200[\s\S]*"organizationId": "demo"/);
    expect(complaints).toEqual([]);
    expect(foreignRequests()).toEqual([]);
  });

  it("tries requests with a token, without inline code and without a request to another server", async () => {
    const { apiUrl = "" } = service.stack;
    const { page, complaints, requests, foreignRequests } = await browser.open({ path: "/docs", width: 1_300 });
    await page.click(".btn.authorize");
    await page.fill(".modal-ux input", await service.mint({ organizationId: "acme", role: "admin", userId: "ada" }));
    await page.click(".modal-ux .authorize");
    await page.click(".modal-ux .btn-done");

    /** Opens an operation of plants and sends its request. @returns the answer as the page shows it */
    const execute = async (operation: string, body?: string): Promise<string> => {
      const block = page.locator(`#operations-plants-${operation}`);
      await block.locator(".opblock-summary-control").click();
      if (body !== undefined) await block.locator("textarea").fill(body);
      await block.locator(".execute").click();
      return block.locator(".live-responses-table").innerText();
    };
    const created = await execute("createPlant", '{"id":9007199254740993,"name":"Monstera"}');
    expect(created).toMatch(/200[\s\S]*"name": "Monstera"[\s\S]*x-request-id/);
    expect(await execute("listPlants")).toMatch(/200[\s\S]*"name": "Monstera"/);

    const plants = await service.request("DELETE", "/plants/9007199254740993", {
      token: await service.mint({ organizationId: "acme" }),
    });
    expect(plants.status).toBe(204);
    // The browser reports each violation of the page's policy.
    expect(complaints).toEqual([]);
    expect(foreignRequests()).toEqual([]);
    expect(requests).toContain(`${apiUrl}/openapi.json`);
  });
});
