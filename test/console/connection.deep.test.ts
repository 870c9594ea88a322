import { describe, expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const { service, open } = await shareConsole();
const provider = simulatedProvider(service);

const path = "/console/connection";

describe("the view Connection", () => {
  it("connects by API key, keeps the key nowhere, and disconnects after it said what happens", async () => {
    const ours = organizationOf(service, "console-api-key");
    const { apiKey, accountId } = await provider.account(4, { seed: "console-api-key" });
    const { page, requests } = await open(ours, { path });
    const key = page.getByLabel("API key", { exact: true });
    await key.fill("sk_test_of_nobody");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    // Under its field, which has the focus and keeps the text, masked.
    await page.getByText("Check that the key is complete").waitFor();
    const described = "document.activeElement.getAttribute('aria-describedby').split(' ').at(-1)";
    expect(await page.evaluate(`document.getElementById(${described}).textContent`)).toMatch(/is complete/);
    expect(await page.evaluate("document.activeElement.name")).toBe("apiKey");
    expect([await key.inputValue(), await key.getAttribute("type"), await key.getAttribute("autocomplete")]).toEqual([
      "sk_test_of_nobody",
      "password",
      "off",
    ]);

    await key.fill(` ${apiKey}\n`);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Connected since").waitFor();
    expect((await ours.call("GET", "connection")).body).toMatchObject({
      status: "connected",
      method: "api_key",
      accountId,
      webhookSetup: { endpointId: expect.any(String) },
    });
    const kept = await page.evaluate<string>(
      "JSON.stringify({ ...sessionStorage, ...localStorage }) + document.documentElement.outerHTML + location.href",
    );
    expect(kept + requests.join()).not.toContain(apiKey);

    await page.getByRole("button", { name: "Disconnect" }).click();
    const dialog = page.getByRole("dialog", { name: "Disconnect from Stripe?" });
    expect(await dialog.innerText()).toMatch(
      /credentials .* destroyed[\s\S]*Syncing stops at once[\s\S]*Records .* stay/,
    );
    await dialog.getByRole("button", { name: "Disconnect" }).click();
    await page.getByText(/^(Disconnected|Not connected yet)$/).waitFor();
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
  });

  it("connects by OAuth with a click at the provider, also beside a sign-in that was left", async () => {
    const ours = organizationOf(service, "console-oauth");
    const { page, complaints } = await open(ours, { path });
    const toProvider = async () => {
      await page.getByRole("radio", { name: /^OAuth/ }).check();
      await page.getByRole("button", { name: "Continue at Stripe" }).click();
    };
    await toProvider();
    await page.getByRole("link", { name: "Refuse access" }).click();
    await page.getByText("The provider did not grant access: The user denied your request.").waitFor();
    // The view takes the provider's answer out of the address as soon as it has read it.
    await page.waitForURL(`${service.stack.apiUrl}${path}`);

    // Somebody went to the issuer and came back with the back button.
    await page.evaluate(
      `sessionStorage.setItem("console.signIn", '{"state":"s","verifier":"v","returnTo":"/console","isSilent":false}')`,
    );
    await toProvider();
    await page.getByRole("link", { name: "Grant access to Kumo Tea" }).click();
    await page.getByText("Connected since").waitFor();
    await page.waitForURL(`${service.stack.apiUrl}${path}`);
    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    expect(complaints).toEqual([]);
  });
});
