/** Decisions: docs/reports.md. Far below what an item of the table can hold (400 KB), and what a browser shows at once. */
export const MAX_REPORT_BYTES = 300_000;

/** How many of each list a report shows at first. */
const MOST_ITEMS = 500;

/** The first of a list, and how many are left out. */
export const firstOf = <Item>(items: readonly Item[], max: number): { shown: Item[]; more: number } => ({
  shown: items.slice(0, max),
  more: Math.max(0, items.length - max),
});

/**
 * The largest of a report's builds that fits: its lists are halved until it does.
 * @param build makes the report with so many items of each list at most.
 */
export const fitReport = <Report>(build: (maxItems: number) => Report): Report => {
  for (let maxItems = MOST_ITEMS; ; maxItems = Math.floor(maxItems / 2)) {
    const report = build(maxItems);
    if (maxItems === 0 || Buffer.byteLength(JSON.stringify(report)) <= MAX_REPORT_BYTES) return report;
  }
};
