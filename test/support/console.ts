/** The console in a browser, signed in as a person signs in: at the development issuer's page. */
import type { Page } from "playwright-core";
import type { OpenedPage, PageBrowser, View } from "./browser.ts";
import type { Service } from "./service.ts";

export type ConsoleUser = {
  organizationId: string;
  role?: "admin" | "billing" | "member" | "guest";
  userId?: string;
  /** Of the access token: a minute renewed, or a minute with which the session ends. An hour, renewed, by default. */
  lifetime?: "minute" | "once";
};

/** The servers that the console may use. */
export const consoleOrigins = ({ stack: { apiUrl = "", issuerUrl } }: Pick<Service, "stack">): string[] => [
  apiUrl,
  issuerUrl,
];

/**
 * Opens a view of the console and signs in. The page then shows that view.
 * @param path such as `/console/alerts`
 */
export const openConsole = async (
  browser: PageBrowser,
  { organizationId, role = "admin", userId = "ada", lifetime }: ConsoleUser,
  { path = "/console", ...view }: View & { path?: string } = {},
): Promise<OpenedPage> => {
  const opened = await browser.open({ path, ...view });
  const { page } = opened;
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/authorize\?/);
  await page.getByLabel("Organization").fill(organizationId);
  await page.getByRole("radio", { name: new RegExp(`^${role}`) }).check();
  await page.getByLabel("User").fill(userId);
  if (lifetime !== undefined) {
    await page.getByText("How long the access token lives").first().click();
    await page.getByRole("radio", { name: lifetime === "once" ? /session ends/ : /^1 minute, renewed/ }).check();
  }
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  // On a small screen, the menu is closed.
  await page.getByRole("navigation", { name: "Views", includeHidden: true }).waitFor({ state: "attached" });
  return opened;
};

/** Both widths in both themes. */
export const screens = [
  { width: 1_280, scheme: "light" },
  { width: 1_280, scheme: "dark" },
  { width: 320, scheme: "light" },
  { width: 320, scheme: "dark" },
] as const satisfies readonly View[];

/** Each width and each theme once. */
export const oppositeScreens = [screens[0], screens[3]] as const;

/** Shows another view of the open page, and does not load the page again. */
export const showView = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`);

export const REQUEST_ID = "request-to-quote";

/** An answer of the API that failed. @param error the number of the error catalogue */
export const failure = ({ error = 50301, message = "The store does not answer.", headers = {} } = {}) => ({
  status: Math.floor(error / 100),
  headers: { "x-request-id": REQUEST_ID, ...headers },
  json: { error, message },
});

/** Answers requests of a page with a failure. */
export const failRequests = (page: Page, address: string | RegExp, of?: Parameters<typeof failure>[0]) =>
  page.route(address, (route) => route.fulfill(failure(of)));
