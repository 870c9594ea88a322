import type { Page } from "playwright-core";

/**
 * How much a page has rendered. A list of thousands of entries must render only those near the window; a test counts
 * them instead of measuring time, and `npm run bench` measures frames.
 * @param entry the selector of an entry
 * @returns the number of elements of the document, and of entries
 */
export const renderedSize = async (page: Page, entry: string): Promise<{ elements: number; entries: number }> => ({
  elements: await page.locator("*").count(),
  entries: await page.locator(entry).count(),
});
