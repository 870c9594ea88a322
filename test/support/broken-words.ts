/** What is broken in the lists of a page: words in two lines, badges and heads that wrap, and rows wider than the page. */
import type { Page } from "playwright-core";

/** Runs in the page. A range over a text has one rectangle for each line that the text is on. */
const BROKEN = `(() => {
  const found = new Set();
  // What only screen readers have is in a box of one pixel.
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && one.closest("thead, .hidden-text")?.offsetWidth !== 1;
  const linesOf = (range) => new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size;
  const textsIn = (one) => {
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (isShown(walker.currentNode.parentElement)) texts.push(walker.currentNode);
    return texts;
  };
  const say = (what, one) => found.add(what + ": " + one.textContent.trim().slice(0, 60));
  for (const one of document.querySelectorAll("main .badge, main thead th, main time, main code.id")) {
    if (!isShown(one)) continue;
    const range = document.createRange();
    range.selectNodeContents(one);
    const lines = textsIn(one).map((text) => { const part = document.createRange(); part.selectNodeContents(text); return linesOf(part); });
    if (lines.some((count) => count > 1)) say("wraps", one);
    if (one.matches(".badge") && one.getBoundingClientRect().width > range.getBoundingClientRect().width + 32) say("is wider than its word", one);
  }
  for (const cell of document.querySelectorAll("main table :is(td, th), main .badge, main .tabs a, main label")) {
    for (const text of isShown(cell) ? textsIn(cell) : []) {
      for (const { 0: word, index } of text.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        // Addresses of pages and other texts without spaces may be longer than any screen.
        if (word.length <= 30 && linesOf(range) > 1 && !/[-@/]/.test(word)) found.add("broken: " + word + " of " + cell.textContent.trim().slice(0, 60));
      }
    }
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.add("wider than the page by " + (scrollWidth - clientWidth) + " px");
  return [...found];
})()`;

/** Complaints about the page as it is now; nothing if every word is whole. */
export const brokenWords = (page: Page): Promise<string[]> => page.evaluate<string[]>(BROKEN);
