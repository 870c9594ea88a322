/** The console in a browser, signed in as a person signs in: at the development issuer's page. */
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
