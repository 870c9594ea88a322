/** Sessions that end, are renewed, or fail, and an API that fails. The clock of the local cloud moves. */
import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import type { OpenedPage } from "../support/browser.ts";
import { failRequests, REQUEST_ID } from "../support/console.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useOwnConsole } from "../support/share-console.ts";

const MINUTE = 60_000;
const API = /\/api\/integrations\//;
const ISSUER = /\/\.well-known\/|\/token$|\/revoke$/;

const { service, browser, open } = await useOwnConsole();

const organizationId = "console-sessions";
const admin = { organizationId };
/** Filters that the view must keep. */
const EVENTS = "/console/events?period=7d&live=on";

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
/** The view of events after its first read. A clock that is installed earlier gives that read a time with fractions. */
const eventsOf = (page: Page) => page.getByText("Mean response");
const dialog = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });

/** The requests of the page to the address, from now on. */
const requestsTo = ({ page }: OpenedPage, address: RegExp): string[] => {
  const urls: string[] = [];
  page.on("request", (request) => address.test(request.url()) && urls.push(request.url()));
  return urls;
};

const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${isHidden} }); ` +
      `document.dispatchEvent(new Event("visibilitychange"));`,
  );

describe("a session of the console", () => {
  it("that ends leaves the view below a dialog, and goes on there with filters and typed text", async () => {
    const opened = await open({ ...admin, lifetime: "once" }, { path: EVENTS });
    const { page } = opened;
    await heading(page, "Events").waitFor();
    await page.getByRole("link", { name: "Erasure" }).click();
    await page.getByLabel("User id").fill("mallory");
    await page.goBack();
    await heading(page, "Events").waitFor();
    expect(page.url()).toContain("period=7d");

    await service.advance(5 * MINUTE);
    await dialog(page).waitFor();
    // A second Escape closes a dialog without asking it.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor();
    expect(await heading(page, "Events").count()).toBe(1);

    await dialog(page).getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign in as ada" }).waitFor();
    await page.getByLabel("Organization").fill(organizationId);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await heading(page, "Events").waitFor();
    expect(page.url()).toBe(service.stack.apiUrl + EVENTS);
    await page.getByRole("link", { name: "Erasure" }).click();
    expect(await page.getByLabel("User id").inputValue()).toBe("mallory");
  });

  it("is renewed once for many requests that the API refuses", async () => {
    const opened = await open(admin, { path: EVENTS });
    const { page } = opened;
    await heading(page, "Events").waitFor();
    const renewals = requestsTo(opened, /\/token$/);
    const refused: string[] = [];
    page.on("response", (response) => response.status() === 401 && refused.push(response.url()));
    // The page does not learn that the time has moved, or it would not use the old token.
    await page.route(/\/clock$/, (route) => route.abort());
    await service.advance(3 * 60 * MINUTE, "last");
    // The view polls its events and its statistics.
    await eventually("the session is renewed", async () => renewals.length > 0);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Reports" }).click();
    await heading(page, "Reports").waitFor();
    expect(renewals).toHaveLength(1);
    expect(await dialog(page).count()).toBe(0);
    expect(refused.length).toBeGreaterThan(0);
  });

  it("is renewed before its token ends", async () => {
    const opened = await open({ ...admin, lifetime: "minute" }, { path: EVENTS });
    const { page } = opened;
    await eventsOf(page).waitFor();
    const renewals = requestsTo(opened, /\/token$/);
    const refused: string[] = [];
    page.on("response", (response) => response.status() === 401 && refused.push(response.url()));
    await page.clock.install();
    await page.clock.runFor(40_000);
    await eventually("the session is renewed", async () => renewals.length > 0);
    await page.clock.runFor(20_000);
    await page.getByRole("link", { name: "Reports" }).click();
    await heading(page, "Reports").waitFor();
    expect(refused).toEqual([]);
  });

  it("stays while the issuer fails at its renewal, and says so", async () => {
    const opened = await open(admin, { path: EVENTS });
    const { page } = opened;
    await heading(page, "Events").waitFor();
    await page.route(/\/token$/, (route) => route.fulfill({ status: 503, json: { message: "down" } }));
    await service.advance(3 * 60 * MINUTE, "last");
    await page
      .getByText(/Your session could not be renewed\. The sign-in service at .* the status 503\./)
      .first()
      .waitFor();
    await page.unroute(/\/token$/);
    await page.getByRole("link", { name: "Reports" }).click();
    await heading(page, "Reports").waitFor();
    await page.getByText("No report yet").or(page.getByRole("list")).first().waitFor();
    expect(await dialog(page).count()).toBe(0);
  });

  it("of one tab has its own tokens, and a sign-out ends it in all tabs", async () => {
    const first = await open(admin, { path: EVENTS });
    const tab = await first.page.context().newPage();
    await tab.goto("/console/reports");
    await heading(tab, "Reports").waitFor();
    await service.advance(3 * 60 * MINUTE, "last");
    for (const page of [first.page, tab, first.page, tab]) {
      await page.bringToFront();
      await page.getByRole("link", { name: "Reports" }).click();
      await heading(page, "Reports").waitFor();
      await page.getByRole("link", { name: "Erasure" }).click();
      await page.getByText("Nothing has been erased").waitFor();
    }
    const isBack = tab.waitForEvent("load");
    await tab.getByRole("button", { name: "Sign out" }).click();
    await first.page.getByText("You signed out in another tab.").waitFor();
    await isBack;
    await heading(tab, "Sign in").waitFor();
    await tab.reload();
    await tab.getByRole("button", { name: "Sign in" }).click();
    await tab.getByRole("button", { name: "Sign in as ada" }).waitFor();
  });

  it("is signed out here although the issuer fails", async () => {
    const { page } = await open(admin);
    await page.route(ISSUER, (route) => route.abort());
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();
    expect(page.url()).toBe(`${service.stack.apiUrl}/console`);
  });
});

describe("a sign-in to the console", () => {
  it("explains that the issuer fails, and succeeds later", async () => {
    const { page } = await browser.open({ path: EVENTS });
    await page.route(ISSUER, (route) => route.fulfill({ status: 503, json: { message: "down" } }));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText(/The sign-in service at .* fails: it answered with the status 503\./).waitFor();
    await page.unroute(ISSUER);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Sign in as ada" }).click();
    await heading(page, "Events").waitFor();
    expect(page.url()).toBe(service.stack.apiUrl + EVENTS);
  });

  it("explains that a user has no organization, and lets another user in", async () => {
    const { page } = await browser.open({ path: "/console" });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Organization").fill("");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await heading(page, "You are not signed in").waitFor();
    expect(await page.getByRole("alert").innerText()).toMatch(/organization[\s\S]*request id/);
    await page.getByRole("button", { name: "Sign in as another user" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Sign in as ada" }).waitFor();
  });

  it("explains that the API refuses the issuer's tokens", async () => {
    const { page } = await browser.open({ path: "/console" });
    await page.route(/\/me$/, (route) =>
      route.fulfill({
        status: 401,
        headers: { "x-request-id": "request-of-me" },
        json: { error: 40102, message: "token: expected the audience plants" },
      }),
    );
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Sign in as ada" }).click();
    await page.getByText("token: expected the audience plants").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("request-of-me");
  });

  it.each(["code=stolen&state=of-a-stranger", "error=access_denied&state=of-a-stranger"])(
    "ignores a return that it did not ask for: %s",
    async (query) => {
      const { page } = await browser.open({ path: `/console?${query}` });
      await heading(page, "Sign in").waitFor();
      expect(page.url()).toBe(`${service.stack.apiUrl}/console`);
    },
  );

  it("leaves no token and no code in an address, a log line or a cookie of the API", async () => {
    const opened = await open({ organizationId: "console-traces" }, { path: EVENTS });
    const { page, requests } = opened;
    const cookies: string[] = [];
    page.on("response", async (response) => {
      if (response.url().startsWith(service.stack.apiUrl ?? "") && (await response.headerValue("set-cookie")) !== null)
        cookies.push(response.url());
    });
    await page.reload();
    await page.getByRole("link", { name: "Reports" }).click();
    await heading(page, "Reports").waitFor();
    const stored = await page.evaluate<string>(
      "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href, history.state])",
    );
    expect(stored).not.toMatch(/eyJ|verifier|nonce/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "Sign in").waitFor();
    expect(requests.filter((url) => url.includes("eyJ"))).toEqual([]);
    expect(cookies).toEqual([]);
    expect(service.logged()).not.toMatch(/eyJ[\w-]{10}|[?&]code=/);
  });
});

describe("while the API fails, the console", () => {
  it.each([
    ["cannot be reached", undefined],
    ["answers 503", { status: 503, headers: { "retry-after": "60", "x-request-id": "request-of-503" } }],
  ] as const)("keeps what it shows and recovers by itself: the API %s", async (_, failure) => {
    const ours = organizationOf(service, organizationId);
    await ours.call("GET", "security", undefined, { role: "guest", userId: "eve" });
    const opened = await open(admin, { path: EVENTS });
    const { page } = opened;
    const events = page
      .getByRole("table")
      .getByText(/\beve\b/)
      .first();
    await events.waitFor();
    await page.clock.install();
    const body = JSON.stringify({ error: 50301, message: "The store does not answer." });
    await page.route(API, (route) =>
      failure === undefined ? route.abort() : route.fulfill({ ...failure, body, contentType: "application/json" }),
    );
    const asked = requestsTo(opened, API);
    const note = page.getByText(/^New events cannot be read at present: /);
    // A read that is under way plans the next one when it ends.
    await eventually("the view says that reads fail", async () => {
      await page.clock.runFor(10_000);
      return note.isVisible();
    });
    expect(await events.isVisible()).toBe(true);
    // It asks less and less often.
    const first = asked.length;
    for (let i = 0; i < 60; i++) await page.clock.runFor(1_000);
    expect(asked.length - first).toBeLessThan(failure === undefined ? 10 : 3);
    await page.unroute(API);
    await eventually("the view has recovered", async () => {
      await page.clock.runFor(30_000);
      return (await note.count()) === 0;
    });
  });

  it("shows the request id of a view that cannot be loaded, and loads it after all", async () => {
    const opened = await open(admin);
    const { page } = opened;
    await failRequests(page, API, { headers: { "retry-after": "7" } });
    await page.getByRole("link", { name: "Erasure" }).click();
    const note = page.getByRole("alert").filter({ hasText: "The store does not answer." });
    await note.getByText(REQUEST_ID).waitFor();
    await page.unroute(API);
    await note.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Nothing has been erased").waitFor();
    expect(await note.count()).toBe(0);
  });

  it("tries again as soon as the computer is online", async () => {
    const { page } = await open(admin);
    await page.clock.install();
    await page.route(API, (route) => route.abort());
    await page.getByRole("link", { name: "Erasure" }).click();
    const note = page.getByText("The service does not answer. The connection may be down.");
    await note.waitFor();
    await page.unroute(API);
    await page.evaluate('dispatchEvent(new Event("online"))');
    await page.clock.runFor(10);
    await page.getByText("Nothing has been erased").waitFor();
    expect(await note.count()).toBe(0);
  });
});

it("a hidden tab of the console asks nothing, and a shown one goes on", async () => {
  const opened = await open(admin, { path: EVENTS });
  const { page } = opened;
  await eventsOf(page).waitFor();
  await page.clock.install();
  const asked = requestsTo(opened, API);
  await page.clock.runFor(10_000);
  await eventually("the tail has asked", async () => asked.length > 0);
  await setHidden(page, true);
  await page.clock.runFor(5_000);
  await page.evaluate("Promise.resolve()");
  const before = asked.length;
  for (let i = 0; i < 10; i++) await page.clock.runFor(60_000);
  expect(asked.length - before).toBe(0);
  await setHidden(page, false);
  await page.clock.runFor(1_000);
  await eventually("the tail has asked again", async () => asked.length > before);
});
