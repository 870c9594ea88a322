import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type Listening, listen } from "../../infra/local/http/listen.ts";
import { violations } from "./accessibility.ts";
import { type PageBrowser, shareBrowser } from "./browser.ts";
import { renderedSize } from "./rendered-size.ts";

const pageOf = (body: string, head = "<title>Page</title>") =>
  `<!doctype html><html lang="en"><head>${head}</head><body><main>${body}</main></body></html>`;

const tiny = 'style="all: unset; display: inline-block; width: 9px; height: 9px"';

const PAGES: Record<string, string> = {
  "/good": pageOf('<h1>Alerts</h1><p>Text</p><button type="button">Acknowledge</button>'),
  "/bad": pageOf(
    '<p id="pale" style="color: #aaa; background: #fff">Pale</p><button id="mute"></button>' +
      `<button id="small" ${tiny} aria-label="Close"></button><button id="near" ${tiny} aria-label="Open"></button>`,
    "",
  ),
  "/list": pageOf("<table><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>"),
  "/with-script": pageOf("<script>document.title = 'owned'</script>"),
  "/with-image": pageOf('<img alt="" src="http://127.0.0.2/picture.png">'),
};

describe("pages in the shared browser", () => {
  let server: Listening;
  let browser: PageBrowser;

  beforeAll(async () => {
    const pages = createServer(({ url = "" }, response) => {
      // The policy of /with-image allows the request, so that the browser sends it.
      const images = url === "/with-image" ? "*" : "'none'";
      response.writeHead(200, {
        "content-type": "text/html",
        "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}`,
      });
      response.end(PAGES[url] ?? "");
    });
    server = await listen(pages, 0);
    browser = await shareBrowser([server.url]);
  });
  afterEach(() => browser.closePages());
  afterAll(async () => {
    await browser.stop();
    await server.close();
  });

  it("reports violations of the policy, messages of the console and uncaught exceptions", async () => {
    const { page, complaints } = await browser.open({ path: "/with-script" });
    expect(complaints).toEqual([expect.stringContaining("Content Security Policy")]);
    expect(await page.title()).toBe("Page");
    await page.evaluate("console.warn('careful')");
    await page.evaluate("queueMicrotask(() => { throw new Error('uncaught') })");
    await page.evaluate("1");
    expect(complaints.slice(1)).toEqual(["careful", expect.stringContaining("uncaught")]);
  });

  it("reports requests to other servers", async () => {
    expect((await browser.open({ path: "/good" })).foreignRequests()).toEqual([]);
    const { foreignRequests } = await browser.open({ path: "/with-image" });
    expect(foreignRequests()).toEqual(["http://127.0.0.2/picture.png"]);
  });

  it("gives each page a profile of its own, with the width, the colours and the motion that a test names", async () => {
    const { page } = await browser.open({ path: "/good" });
    await page.evaluate("localStorage.setItem('key', 'value')");
    const other = await browser.open({ path: "/good", width: 320, scheme: "dark", reducedMotion: true });
    const seen = `[localStorage.length, innerWidth, ...["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)"].map((query) => matchMedia(query).matches)]`;
    expect(await page.evaluate(seen)).toEqual([1, 1_100, false, false]);
    // A phone widens a page that does not name its viewport, so the width is that of the screen.
    expect(await other.page.evaluate(seen)).toEqual([0, expect.any(Number), true, true]);
    expect(await other.page.evaluate("screen.width")).toBe(320);
  });

  it("finds violations of WCAG 2.2 in spite of the page's policy, and none in a good page", async () => {
    const bad = await browser.open({ path: "/bad" });
    expect(await violations(bad.page)).toEqual([
      expect.stringMatching(/^button-name: Buttons must have discernible text: #mute/),
      expect.stringMatching(/^color-contrast: Elements must meet .*: #pale \(.*contrast of 2\.32/),
      expect.stringMatching(/^document-title: /),
      expect.stringMatching(/^target-size: .*: #mute, #small, #near/),
    ]);
    const good = await browser.open({ path: "/good" });
    expect(await violations(good.page)).toEqual([]);
    for (const { complaints, foreignRequests } of [bad, good])
      expect([...complaints, ...foreignRequests()]).toEqual([]);
  });

  it("counts what a page has rendered", async () => {
    const { page } = await browser.open({ path: "/list" });
    expect(await renderedSize(page, "tbody tr")).toEqual({ elements: 11, entries: 2 });
  });
});
