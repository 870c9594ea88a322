/** The rules of WCAG 2.2, levels A and AA, that axe-core can check (https://github.com/dequelabs/axe-core). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

let source: string | undefined;

const options: RunOptions = {
  // Tags: https://github.com/dequelabs/axe-core/blob/develop/doc/API.md#axe-core-tags
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  // axe-core leaves this rule out unless it is named.
  rules: { "target-size": { enabled: true } },
  resultTypes: ["violations"],
  // Without it, axe-core would request style sheets of other origins, which a strict policy refuses.
  preload: false,
};

/**
 * Checks a page as it is now. The driver puts axe-core into the page, so the page's policy does not apply to it.
 * @returns a sentence for each rule that the page violates, with the selectors of the elements
 */
export const violations = async (page: Page): Promise<string[]> => {
  source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return results.violations.map(({ id, help, nodes }) => {
    const selectors = nodes.map(({ target }) => target.flat().join(" "));
    const reason = nodes[0]?.any[0]?.message;
    return `${id}: ${help}: ${selectors.join(", ")}${reason === undefined ? "" : ` (${reason})`}`;
  });
};
