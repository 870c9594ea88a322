import { afterAll, afterEach, expect } from "@jest/globals";
import type { Page } from "playwright-core";
import { violations } from "./accessibility.ts";
import { shareBrowser, type View } from "./browser.ts";
import { type ConsoleUser, consoleOrigins, openConsole } from "./console.ts";
import { type Service, type ServiceOptions, type ServiceUnderTest, shareService, startService } from "./service.ts";

/** Pages of the shared browser that show the console of a service. They are closed after each test. */
const usePages = async (service: Pick<Service, "stack">) => {
  const browser = await shareBrowser(consoleOrigins(service));
  afterEach(() => browser.closePages());
  afterAll(() => browser.stop());
  const open = (user: ConsoleUser, view?: View & { path?: string }) => openConsole(browser, user, view);
  return { browser, open };
};

/** The console of the shared service: for a file that calls this when it is loaded. */
export const shareConsole = async () => {
  const service: Service = await shareService();
  return { service, ...(await usePages(service)) };
};

/** The console of a service of its own, whose clock the tests move: for a file that calls this when it is loaded. */
export const useOwnConsole = async (options: ServiceOptions = {}) => {
  const service: ServiceUnderTest = await startService(options);
  const pages = await usePages(service);
  afterAll(() => service.stop());
  return { service, ...pages };
};

/** Requires that the page fits, and that nothing on it is out of reach for anybody. @param state for the message */
export const expectAccessible = async (page: Page, state = page.url()): Promise<void> => {
  expect([state, await violations(page)]).toEqual([state, []]);
  const overflow = await page.evaluate<number>("Math.max(0, document.documentElement.scrollWidth - innerWidth)");
  expect([state, overflow]).toEqual([state, 0]);
};
