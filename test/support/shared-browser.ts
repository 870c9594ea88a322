/** One browser for all test files that look at pages (shared-server.ts). Test files use it by `shareBrowser`. */
import type { BrowserServer } from "playwright-core";
import { prepareChromium } from "./chromium.ts";

const launch = async (): Promise<BrowserServer> => {
  // Runs without browser tests need neither the driver nor an unpacked browser.
  const { chromium } = await import("playwright-core");
  return chromium.launchServer({ ...(await prepareChromium()), host: "127.0.0.1" });
};

let server: Promise<BrowserServer> | undefined;

const sharedBrowser = (): Promise<BrowserServer> => {
  server ??= launch();
  return server;
};

/** In jest's main process: what test files may ask about the browser. */
export const browserAnswers = {
  browser: async () => (await sharedBrowser()).wsEndpoint(),
  processId: async () => (await sharedBrowser()).process().pid,
};

/**
 * In jest's main process: stops the browser, if a file asked for it. If this process ends in another way, Chromium ends
 * with its pipe to the driver.
 */
export const stopSharedBrowser = async (): Promise<void> => {
  const started = await server?.catch(() => undefined);
  await started?.close();
};
