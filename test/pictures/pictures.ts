/**
 * `npm run pictures`: docs/pictures/, the pictures of the README and of docs/reports.md. The report's data are invented
 * (../shared/reports/samples.ts). The console shows the demo organization of `npm start` after a night and a morning.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { connectDemo } from "../../infra/local/start/connect-demo.ts";
import { actDemoIncident } from "../../infra/local/start/demo-incident.ts";
import { prepareAssembly } from "../../infra/prepare-assembly.ts";
import { renderReport } from "../../shared/reports/html/render-report.ts";
import { sampleCompliance } from "../shared/reports/samples.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { type PageBrowser, startChromium } from "../support/browser.ts";
import { consoleOrigins, openConsole } from "../support/console.ts";
import { startService } from "../support/service.ts";

const directory = join(import.meta.dirname, "..", "..", "docs", "pictures");
const HOUR_MS = 3_600_000;

/** Takes a picture of the top of a page. */
const take = async (page: Page, name: string, { width, height }: { width: number; height: number }): Promise<void> => {
  const picture = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } });
  writeFileSync(join(directory, `${name}.png`), picture);
  console.log(`docs/pictures/${name}.png: ${Math.round(picture.length / 1_000)} KB`);
};

const takeReport = async (browser: PageBrowser): Promise<void> => {
  const width = 900;
  const html = Buffer.from(renderReport(sampleCompliance(), "acme-gardens")).toString("base64");
  const { page } = await browser.open({ path: `data:text/html;charset=utf-8;base64,${html}`, width });
  // To below its first chart.
  const height = await page.evaluate<number>('document.querySelector("svg").getBoundingClientRect().bottom + 24');
  await take(page, "compliance", { width, height });
};

const takeConsole = async (): Promise<void> => {
  await prepareAssembly(assemblyDirectory);
  const service = await startService();
  const browser = await startChromium(consoleOrigins(service));
  try {
    const organizationId = await connectDemo(service);
    if (organizationId === undefined) throw new Error("there is no demo organization");
    await service.advance(18 * HOUR_MS);
    await actDemoIncident(service.stack, organizationId);
    await service.advance(1.2 * HOUR_MS);
    const size = { width: 1_180, height: 860 };
    const { page } = await openConsole(browser, { organizationId }, size);
    const finding = page.getByRole("link", { name: "Repeated authentication failures" });
    await finding.waitFor();
    await page.getByText("period before").first().waitFor();
    await page.getByText("Not known yet").first().waitFor({ state: "detached" });
    await take(page, "console-overview", { ...size, height: 1_110 });
    await finding.click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.getByText("Loading").first().waitFor({ state: "detached" });
    await take(page, "console-alert", size);
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByText("Authentication failure").first().waitFor();
    await take(page, "console-events", size);
  } finally {
    await browser.stop();
    await service.stop();
  }
};

mkdirSync(directory, { recursive: true });
const browser = await startChromium();
try {
  await takeReport(browser);
} finally {
  await browser.stop();
}
await takeConsole();
