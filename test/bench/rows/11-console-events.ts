/**
 * The console's list of events while a person scrolls through 10,000 of them: how long the browser's main thread works at
 * once. CPU time of that thread, so that other processes do not count. Above 50 ms, a task delays what the user does:
 * https://web.dev/articles/optimize-long-tasks
 */
import type { PageBrowser } from "../../support/browser.ts";
import { openConsole } from "../../support/console.ts";
import { answerEvents, sampleEvent } from "../../support/console-events.ts";
import { withConsole } from "../bench-cloud.ts";
import { type Budget, judgedRow, type Measurement, type Row } from "../row.ts";

const EVENTS = 10_000;
const LONGEST: Budget = { limit: 50 };
const LONG_TASKS: Budget = { limit: 0 };

/** Scrolls 600 px a frame until all events are loaded and drawn. */
const SCROLL = `(async () => {
  const isComplete = () => document.querySelector(".more p") !== null && document.querySelector(".pending") === null;
  while (!isComplete() || scrollY + innerHeight < document.documentElement.scrollHeight - 5) {
    await new Promise(requestAnimationFrame);
    scrollBy(0, 600);
  }
  return document.querySelectorAll("[data-event]").length;
})()`;

type TraceEvent = { name: string; ph: string; pid: number; tid: number; tdur?: number; args: { name?: string } };

/** The CPU time of each task of the main threads of pages, ms. */
const tasksOf = (trace: readonly TraceEvent[]): number[] => {
  const threads = trace.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const isMain = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`));
  return trace
    .filter(({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && isMain.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000);
};

const measureOn = async (browser: PageBrowser): Promise<Row[]> => {
  const now = Date.now();
  const events = Array.from({ length: EVENTS }, (_, index) => sampleEvent(EVENTS - index, now - index * 1_000));
  const { page } = await openConsole(browser, { organizationId: "bench" }, { width: 1_280 });
  await answerEvents(page, () => events);
  await page.getByRole("navigation").getByRole("link", { name: "Events", exact: true }).click();
  await page.locator("[data-event]").first().waitFor();
  const driver = page.context().browser();
  await driver?.startTracing(page, { categories: ["toplevel"] });
  const rows = await page.evaluate<number>(SCROLL);
  const { traceEvents } = JSON.parse(String(await driver?.stopTracing())) as { traceEvents: TraceEvent[] };
  const tasks = tasksOf(traceEvents);
  if (rows !== EVENTS || tasks.length === 0) throw new Error(`the page has ${rows} rows and ${tasks.length} tasks`);
  const longest = Math.round(Math.max(...tasks));
  const long = tasks.filter((ms) => ms > LONGEST.limit).length;
  const scrolled = `scroll through ${EVENTS.toLocaleString("en")} events in pages of 1,000`;
  return [
    judgedRow(`${scrolled}: longest task of the main thread`, longest, LONGEST, { unit: "ms" }),
    judgedRow("the same: tasks over 50 ms", long, LONG_TASKS, { measured: `${long} of ${tasks.length}` }),
  ];
};

export const measurement: Measurement = {
  title: "Console: 10,000 events",
  measure: ({ workDirectory }) => withConsole(workDirectory, ({ browser }) => measureOn(browser)),
};
