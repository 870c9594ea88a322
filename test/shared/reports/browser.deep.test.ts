import { createServer } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { type Listening, listen } from "../../../infra/local/http/listen.ts";
import { respondHtml } from "../../../shared/http/respond.ts";
import { renderReport } from "../../../shared/reports/html/render-report.ts";
import { violations } from "../../support/accessibility.ts";
import { type PageBrowser, shareBrowser, type View } from "../../support/browser.ts";
import { sampleOf } from "../../support/depth.ts";
import { ATTACKS, hostileReports } from "./hostile.ts";
import { sampleCompliance, sampleReview } from "./samples.ts";

const pages = new Map<string, string>([
  ...[sampleCompliance(), sampleReview()].map(
    (report) => [`/${report.kind}`, renderReport(report, "acme-gardens")] as const,
  ),
  ...hostileReports().map((report) => [`/hostile-${report.kind}`, renderReport(report, ATTACKS[0])] as const),
]);

/** The texts whose contrast with their background is below a ratio (WCAG 2). */
const LOW_CONTRAST = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("main *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!hasText || element.closest("svg") || element.getClientRects().length === 0) continue;
    const [a, b] = [parse(getComputedStyle(element).color), behind(element)].map(luminance).sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(element.className + " " + element.textContent.slice(0, 20) + " " + ratio.toFixed(2));
  }
  return found;
})()`;

/** The colours of bars and of parts of charts, with the lowest contrast with any ground they may have (WCAG 2). */
const GRAPHICS = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => parse(color).slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const fill = (one) => getComputedStyle(one).fill;
  const grounds = [getComputedStyle(document.body).backgroundColor, ...[...document.querySelectorAll("rect.band")].map(fill)];
  const found = [...document.querySelectorAll("rect:not(.target, .band, .track)")].map((one) => {
    const track = one.parentElement.querySelector(".track");
    const opaque = [one, one.parentElement, one.parentElement.parentElement].every((at) => getComputedStyle(at).opacity === "1");
    return { tone: one.className.baseVal, contrast: opaque ? Math.min(...[...grounds, ...(track ? [fill(track)] : [])].map((ground) => ratio(fill(one), ground))) : 0 };
  });
  const swatches = [...document.querySelectorAll(".parts i, .badge")].map((one) => ({ tone: one.className.replace("badge ", ""), color: getComputedStyle(one).backgroundColor }));
  const columns = [...document.querySelectorAll(".column rect:not(.target, .band)")].map((one) => ({ tone: one.className.baseVal, color: fill(one) }));
  const charts = [...document.querySelectorAll("figure")].map((figure) => [...figure.querySelectorAll(".parts span")].map((one) => ({
    text: one.textContent, luminance: luminance(getComputedStyle(one.querySelector("i")).backgroundColor) })));
  return { found, colors: [...swatches, ...columns], charts };
})()`;

type Graphics = {
  found: { tone: string; contrast: number }[];
  colors: { tone: string; color: string }[];
  charts: { text: string; luminance: number }[][];
};

const views = [{ scheme: "light" }, { scheme: "dark" }, { scheme: "dark", media: "print" }] as const;

describe("a page in a browser", () => {
  let server: Listening;
  let browser: PageBrowser;
  const asked: string[] = [];
  const show = (path: string, view: View = {}) => browser.open({ path, ...view });

  beforeAll(async () => {
    const answering = createServer((request, response) => {
      asked.push(request.url ?? "");
      const page = pages.get(request.url ?? "");
      const { statusCode, headers, body } = respondHtml("r", page === undefined ? 404 : 200, { html: page ?? "" });
      response.writeHead(statusCode, headers).end(body);
    });
    server = await listen(answering, 0);
    browser = await shareBrowser([server.url]);
  });
  afterEach(() => browser.closePages());
  afterAll(async () => {
    await browser.stop();
    await server.close();
  });

  it.each([...pages.keys()])("%s causes no console message, and loads nothing else", async (path) => {
    asked.length = 0;
    const { complaints, foreignRequests } = await show(path);
    expect(complaints).toEqual([]);
    expect(asked).toEqual([path]);
    expect(foreignRequests()).toEqual([]);
  });

  const inViews = [...pages.keys()].flatMap((path) => views.map((view) => [path, view] as const));
  it.each(sampleOf(inViews, 3))("%s violates no rule of WCAG 2.2, levels A and AA: %j", async (path, view) => {
    const { page, complaints } = await show(path, view);
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  const inWidths = [...pages.keys()].flatMap((path) => [320, 375, 768, 1_100].map((width) => [path, width] as const));
  it.each(sampleOf(inWidths, 4))("%s does not scroll sideways at %i pixels", async (path, width) => {
    const { page } = await show(path, { width });
    const overflowing = `[...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5 && getComputedStyle(one).position !== "absolute").map((one) => one.outerHTML.slice(0, 120))`;
    expect(await page.evaluate(overflowing)).toEqual([]);
    expect(await page.evaluate("document.scrollingElement.scrollWidth")).toBe(width);
  });

  it.each(["/hostile-compliance", "/hostile-review"])("%s shows attacks as text", async (path) => {
    const { page } = await show(path, { width: 375 });
    expect(await page.evaluate("document.title")).toContain(ATTACKS[0]);
    expect(await page.evaluate("document.querySelector('.whose').textContent")).toBe(ATTACKS[0]);
    expect(await page.evaluate("document.querySelectorAll('script, img, iframe, object, a, form').length")).toBe(0);
    const handlers =
      "[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]).filter(({ name }) => name.startsWith('on')).length";
    expect(await page.evaluate(handlers)).toBe(0);
    const text = await page.evaluate<string>("document.body.textContent");
    for (const attack of ATTACKS.slice(0, 7)) expect(text).toContain(attack);
  });

  it("shows its texts in a font, which gives them a width", async () => {
    const { page } = await show("/compliance");
    const width = `(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector("h1"));
      return range.getBoundingClientRect().width;
    })()`;
    expect(await page.evaluate<number>(width)).toBeGreaterThan(100);
  });

  it("runs no script, even if one gets into the page", async () => {
    pages.set(
      "/with-script",
      (pages.get("/compliance") ?? "").replace("<main>", "<main><script>document.title = 'owned'</script>"),
    );
    const { page, complaints } = await show("/with-script", { width: 375 });
    expect(await page.evaluate("document.title")).not.toBe("owned");
    expect(complaints.join()).toContain("Content Security Policy");
  });

  it.each(views)("has enough contrast, and parts of charts that differ in grey and have labels: %j", async (view) => {
    const graphicsOf = async (path: string) => {
      const { page } = await show(path, view);
      expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
      const graphics = await page.evaluate<Graphics>(GRAPHICS);
      expect(graphics.found.length).toBeGreaterThan(20);
      expect(graphics.found.filter(({ contrast }) => contrast < 3)).toEqual([]);
      return graphics;
    };
    await graphicsOf("/compliance");
    const { colors, charts } = await graphicsOf("/review");
    // A risk level has the same colour in badges and in charts.
    const byTone = Map.groupBy(colors, ({ tone }) => tone);
    expect([...byTone.keys()]).toEqual(expect.arrayContaining(["low", "medium", "high", "critical"]));
    for (const ofTone of byTone.values()) expect(new Set(ofTone.map(({ color }) => color)).size).toBe(1);
    const stacked = charts.filter((parts) => parts.length > 1);
    expect(stacked.map((parts) => parts.map(({ text }) => text))).toEqual([
      ["with success 1,237", "without success 182"],
      ["critical 1", "high 2", "medium 1", "low 0"],
    ]);
    for (const parts of stacked) {
      const greys = parts.map(({ luminance }) => luminance + 0.05).sort((a, b) => a - b);
      for (const [index, grey] of greys.entries()) expect(grey / (greys[index - 1] ?? 0)).toBeGreaterThan(1.35);
    }
  });

  it("shows on paper what is collapsed on a screen", async () => {
    const hidden =
      "[...document.querySelectorAll('details > :not(summary)')].filter((one) => !one.checkVisibility() || one.getBoundingClientRect().height === 0).length";
    for (const path of ["/compliance", "/review"]) {
      const { page } = await show(path, { width: 680 });
      expect(await page.evaluate<number>(hidden)).toBeGreaterThan(2);
      await page.emulateMedia({ media: "print" });
      expect(await page.evaluate<number>(hidden)).toBe(0);
    }
  });

  it("differs between light and dark, and prints light", async () => {
    const paper = "getComputedStyle(document.body).backgroundColor";
    const colors: string[] = [];
    for (const view of views) {
      const { page } = await show("/compliance", view);
      colors.push(await page.evaluate(paper));
    }
    expect(colors).toEqual(["rgb(251, 250, 248)", "rgb(20, 22, 26)", "rgb(255, 255, 255)"]);
  });

  it("prints on a few A4 pages", async () => {
    for (const path of ["/compliance", "/review"]) {
      const { page } = await show(path);
      const pdf = (await page.pdf({ preferCSSPageSize: true, printBackground: true })).toString("latin1");
      expect(pdf.startsWith("%PDF-")).toBe(true);
      const sheets = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)].map(([, width, height]) =>
        [width, height].map((one) => Math.round(Number(one))),
      );
      expect(sheets.length).toBeGreaterThan(1);
      expect(sheets.length).toBeLessThan(8);
      for (const sheet of sheets) expect(sheet).toEqual([595, 842]);
    }
  });

  it("has the numbers of its charts in tables, and titles for screen readers", async () => {
    const { page } = await show("/review", { width: 375 });
    const opened =
      "(() => { const details = document.querySelector('details'); details.open = true; return details.querySelectorAll('tbody tr').length; })()";
    expect(await page.evaluate(opened)).toBe(35);
    expect(await page.evaluate("document.scrollingElement.scrollWidth")).toBe(375);
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].every((one) => one.querySelector('title').textContent && one.querySelector('desc').textContent)",
      ),
    ).toBe(true);
  });
});
