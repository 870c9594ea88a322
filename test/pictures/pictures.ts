/**
 * `npm run pictures`: docs/pictures/, the picture of the README: the top of a compliance report. The data are invented
 * (../shared/reports/samples.ts), so that the same code makes the same picture.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderReport } from "../../shared/reports/html/render-report.ts";
import { sampleCompliance } from "../shared/reports/samples.ts";
import { startChromium } from "../support/browser.ts";

const directory = join(import.meta.dirname, "..", "..", "docs", "pictures");

mkdirSync(directory, { recursive: true });
const browser = await startChromium();
try {
  const width = 900;
  const html = Buffer.from(renderReport(sampleCompliance(), "acme-gardens")).toString("base64");
  const { page } = await browser.open({ path: `data:text/html;charset=utf-8;base64,${html}`, width });
  // From the top of the page to below its first chart.
  const height = await page.evaluate<number>('document.querySelector("svg").getBoundingClientRect().bottom + 24');
  const picture = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } });
  writeFileSync(join(directory, "compliance.png"), picture);
  console.log(`docs/pictures/compliance.png: ${Math.round(picture.length / 1_000)} KB`);
} finally {
  await browser.stop();
}
