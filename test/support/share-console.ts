import { afterAll, afterEach } from "@jest/globals";
import { type PageBrowser, shareBrowser } from "./browser.ts";
import { consoleOrigins } from "./console.ts";
import { type Service, shareService } from "./service.ts";

/**
 * The shared service, and pages of the shared browser that are closed after each test: for a file that calls this when it
 * is loaded.
 */
export const shareConsole = async (): Promise<{ service: Service; browser: PageBrowser }> => {
  const service = await shareService();
  const browser = await shareBrowser(consoleOrigins(service));
  afterEach(() => browser.closePages());
  afterAll(() => browser.stop());
  return { service, browser };
};
