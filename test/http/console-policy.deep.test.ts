import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { shareBrowser } from "../support/browser.ts";
import { useService } from "../support/use-service.ts";

/** What a planted script sets, wherever it comes from. */
const PLANTED = "globalThis.planted = true";

const service = await useService();
const browser = await shareBrowser([service.stack.apiUrl ?? ""]);
/** Another origin. It serves a script, and counts what reaches it. */
const foreign = createServer((request, response) => {
  reached.push(request.url ?? "");
  response.setHeader("content-type", "text/javascript").setHeader("access-control-allow-origin", "*").end(PLANTED);
});
const reached: string[] = [];
let foreignUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
});
afterEach(() => browser.closePages());
afterAll(async () => {
  await browser.stop();
  foreign.close();
});

/** The page of the console with its own headers, with planted markup in the place of its scripts. */
const openWith = async (markup: string) => {
  const opened = await browser.newPage();
  await opened.page.route("**/console", async (route) => {
    const response = await route.fetch();
    const html = (await response.text()).replace(/<script type="module"[^>]*><\/script>/g, "");
    await route.fulfill({ response, body: html.replace("</body>", `${markup}</body>`) });
  });
  await opened.page.goto("/console");
  return opened;
};

const isPlanted = () => "planted" in globalThis;

describe("the policy of the console in a browser", () => {
  it.each([
    ["an inline script", `<script>${PLANTED}</script>`],
    ["an inline module", `<script type="module">${PLANTED}</script>`],
    ["an event handler", `<img src="data:," onerror="${PLANTED}">`],
    ["a script of a data address", `<script src="data:text/javascript,${PLANTED}"></script>`],
  ])("blocks %s in the page", async (_, markup) => {
    const { page, complaints } = await openWith(markup);
    expect(await page.evaluate(isPlanted)).toBe(false);
    expect(complaints.join("\n")).toMatch(/Content Security Policy/);
  });

  it("blocks scripts, styles, pictures, frames and requests of another origin", async () => {
    const { page, complaints } = await openWith(
      `<script src="${foreignUrl}/script.js"></script><link rel="stylesheet" href="${foreignUrl}/style.css">` +
        `<img src="${foreignUrl}/picture.png"><iframe src="${foreignUrl}/frame"></iframe>`,
    );
    const refused = await page.evaluate(
      (url) =>
        fetch(url).then(
          () => "sent",
          () => "refused",
        ),
      `${foreignUrl}/?token=planted`,
    );
    expect([refused, await page.evaluate(isPlanted), reached]).toEqual(["refused", false, []]);
    expect(complaints.filter((text) => text.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(5);
  });

  it("refuses to make HTML or a script of a text", async () => {
    const { page } = await openWith("");
    // A text, because the tests' types do not know the DOM.
    const outcomes = await page.evaluate(`
      const code = ${JSON.stringify(PLANTED)};
      const outcomeOf = (work) => {
        try {
          work();
          return "done";
        } catch (error) {
          return error.name;
        }
      };
      [
        outcomeOf(() => { document.createElement("div").innerHTML = "<img src=x onerror='" + code + "'>"; }),
        outcomeOf(() => { document.createElement("script").text = code; }),
      ];
    `);
    expect(outcomes).toEqual(["TypeError", "TypeError"]);
    expect(await page.evaluate(isPlanted)).toBe(false);
  });

  it("lets no page put the console into a frame", async () => {
    const { page } = await browser.newPage();
    await page.setContent(`<iframe src="${service.stack.consoleUrl}"></iframe>`);
    await page.waitForLoadState("networkidle");
    const [, frame] = page.frames();
    expect(frame?.url()).not.toBe(service.stack.consoleUrl);
  });

  it("lets the console itself start without a complaint and without a request to another server", async () => {
    const { page, complaints, requests } = await browser.open({ path: "/console" });
    await page.waitForLoadState("networkidle");
    const origins = [service.stack.apiUrl, service.stack.issuerUrl];
    expect(complaints.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:") && !origins.includes(new URL(url).origin))).toEqual([]);
  });
});
