/**
 * `npm run pictures`: docs/pictures/, the picture of the README: the top of a compliance report. The data are invented
 * (../shared/reports/samples.ts), so that the same code makes the same picture.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderReport } from "../../shared/reports/html/render-report.ts";
import { sampleCompliance } from "../shared/reports/samples.ts";
import { startChromium } from "../support/chromium.ts";

const directory = join(import.meta.dirname, "..", "..", "docs", "pictures");

mkdirSync(directory, { recursive: true });
const browser = await startChromium();
try {
  const tab = browser.newTab();
  const page = Buffer.from(renderReport(sampleCompliance(), "acme-gardens")).toString("base64");
  await tab.show(`data:text/html;charset=utf-8;base64,${page}`, { width: 900, scheme: "light" });
  const picture = await tab.pictureToFirstChart();
  writeFileSync(join(directory, "compliance.png"), picture);
  console.log(`docs/pictures/compliance.png: ${Math.round(picture.length / 1_000)} KB`);
} finally {
  await browser.stop();
}
