import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Listening, listen } from "../../../../infra/local/http/listen.ts";
import { violations } from "../../../support/accessibility.ts";
import { type PageBrowser, shareBrowser } from "../../../support/browser.ts";
import { createClient, startTestIssuer, type TestIssuer } from "./browser-and-client.ts";

let console: Listening;
let issuer: TestIssuer;
let browser: PageBrowser;
beforeAll(async () => {
  const page = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>The console</title>");
  });
  console = await listen(page, 0);
  issuer = await startTestIssuer({ apiUrl: console.url });
  browser = await shareBrowser([issuer.url(), console.url]);
});
afterAll(async () => {
  await browser?.stop();
  await Promise.all([issuer.close(), console.close()]);
});

const authorizeUrl = async () =>
  (await createClient(issuer.url())).authorizeUrl({ redirect_uri: `${console.url}/console` });

describe("the sign-in page in a browser", () => {
  it("is accessible at 320 pixels in both themes, with its problems and without", async () => {
    const { page, complaints, foreignRequests } = await browser.open({ path: await authorizeUrl(), width: 320 });
    const check = async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violations(page)).toEqual([]);
      }
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    };
    await page.getByText("How long the access token lives").first().click();
    await check();
    expect(complaints).toEqual([]);
    await page.getByLabel("Organization").fill("a b");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    expect(await page.getByRole("alert").allTextContents()).toEqual([expect.stringContaining("without space")]);
    await check();
    expect(foreignRequests()).toEqual([]);
  });

  it("returns to the console after one click, or by the keyboard as another user", async () => {
    const { page, complaints } = await browser.open({ path: await authorizeUrl() });
    await page.getByRole("button", { name: "Sign in as ada" }).click();
    await page.waitForURL(`${console.url}/console?code=*`);
    // The session answers without the page.
    await page.goto(await authorizeUrl());
    expect(page.url()).toContain(`${console.url}/console?code=`);
    await page.goto(`${await authorizeUrl()}&prompt=login`);
    await page.getByLabel("billing").check();
    await page.getByLabel("User").fill("bob");
    await page.getByLabel("User").press("Enter");
    await page.waitForURL(`${console.url}/console?code=*`);
    expect(complaints).toEqual([]);
  });
});
