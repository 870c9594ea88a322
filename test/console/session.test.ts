import { describe, expect, it } from "@jest/globals";
import { showView } from "../support/console.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

describe("signing in to the console", () => {
  it("takes the user to the view of the address, keeps it over a reload, and ends with the sign-out", async () => {
    const opened = await open({ organizationId: "console-session" }, { path: "/console?from=a-link" });
    const { page, complaints, foreignRequests } = opened;
    const overview = page.getByRole("heading", { name: "Overview" });
    await overview.waitFor();
    expect(page.url()).toBe(`${service.stack.apiUrl}/console?from=a-link`);

    // Keys can be turned off, and stay off.
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await keys.getByRole("checkbox", { name: "Use single keys in this browser" }).uncheck();
    await keys.getByRole("button", { name: "Close" }).click();
    await page.reload();
    await overview.waitFor();
    await page.keyboard.press("?");
    await page.getByRole("button", { name: "Keys" }).click();
    expect(await keys.getByRole("checkbox").isChecked()).toBe(false);
    await keys.getByRole("button", { name: "Close" }).click();

    // An address that cannot be decoded.
    await showView(page, "/console/events/%");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.getByRole("link", { name: "Go to the overview." }).click();
    await overview.waitFor();
    const stored = await page.evaluate<string>(
      "JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie",
    );
    expect(stored).not.toMatch(/eyJ|token|code/i);

    // The page shows the end of the session first, then leaves for the issuer and comes back.
    const isBack = page.waitForEvent("load");
    await page.getByRole("button", { name: "Sign out" }).click();
    await isBack;
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(complaints).toEqual([]);
    expect(foreignRequests()).toEqual([]);
  });

  it("asks to sign in again over the view when the session ends, and goes on there", async () => {
    const opened = await open({ organizationId: "console-session" }, { path: "/console/erasure?from=a-link" });
    const { page } = opened;
    await page.getByLabel("User id").fill("mallory");
    await page.route(/\/api\/integrations\//, (route) =>
      route.fulfill({ status: 401, json: { error: 40103, message: "The token has expired." } }),
    );
    await page.route(/\/token$/, (route) => route.fulfill({ status: 400, json: { error: "invalid_grant" } }));
    await page.getByRole("link", { name: "Reports" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await page.goBack();
    expect(await dialog.isVisible()).toBe(true);
    await page.unroute(/\/token$/);
    await page.unroute(/\/api\/integrations\//);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Request an erasure" }).waitFor();
    expect(page.url()).toBe(`${service.stack.apiUrl}/console/erasure?from=a-link`);
    expect(await page.getByLabel("User id").inputValue()).toBe("mallory");
  });

  it("offers to reload when a view's file cannot be loaded", async () => {
    const { page } = await open({ organizationId: "console-session" });
    await page.route(/\/console\/assets\//, (route) => route.abort());
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    await page.unroute(/\/console\/assets\//);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Reports", exact: true }).waitFor();
  });

  it("shows a guest only what the role may see", async () => {
    const { page } = await open({ organizationId: "console-session", role: "guest" });
    await page.getByText("Your role does not allow this").waitFor();
    expect(await page.getByRole("main").innerText()).toContain("status:read");
    expect(await page.getByRole("navigation").getByRole("link").all()).toEqual([]);
  });
});
