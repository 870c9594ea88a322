import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { ATTACKS } from "../shared/reports/hostile.ts";
import { violations } from "../support/accessibility.ts";
import { failRequests, oppositeScreens, REQUEST_ID, showView } from "../support/console.ts";
import { answerEvents, sampleEvent } from "../support/console-events.ts";
import { expectAccessible, shareConsole } from "../support/share-console.ts";

const user = { organizationId: "console-events-deep" };
const LIST = /\/provider\/security(\?|$)/;

const { open } = await shareConsole();

const now = Date.now();

/** Newest first: one each second. */
const samples = (count: number, fields: (number: number) => Partial<SecurityEvent> = () => ({})): SecurityEvent[] =>
  Array.from({ length: count }, (_, index) => {
    const number = count - index;
    return sampleEvent(number, now - index * 1_000, fields(number));
  });

/** Opens another view first, so that the answers can be replaced before the events are read. */
const openEvents = async (prepare: (page: Page) => Promise<unknown>, path = "/console/events", view = {}) => {
  const opened = await open(user, { path: "/console/nowhere", ...view });
  await prepare(opened.page);
  await showView(opened.page, path);
  return opened;
};

const failing = (error: number, message: string) => (page: Page) => failRequests(page, LIST, { error, message });

describe("the view of events", () => {
  const states = {
    empty: { prepare: (page: Page) => answerEvents(page, () => []), text: "No events in the last 24 hours" },
    loading: { prepare: (page: Page) => page.route(LIST, () => undefined), text: "Loading events" },
    error: { prepare: failing(50300, "The store is not available."), text: REQUEST_ID },
    advice: { prepare: failing(40000, "since: too many events to count"), text: "Please choose other filters." },
    full: { prepare: (page: Page) => answerEvents(page, () => samples(40)), text: "user-1" },
  };
  it.each(Object.keys(states) as (keyof typeof states)[])("has no barrier if it is %s", async (name) => {
    for (const view of oppositeScreens) {
      const { page } = await openEvents(states[name].prepare, "/console/events?category=authorization", view);
      const text = name === "empty" ? "No event in the last 24 hours matches the filters" : states[name].text;
      await page.getByText(text).first().waitFor();
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("button", { name: "From – to" }).click();
      await page.getByLabel("From (your time)").waitFor();
      await page
        .getByText(name === "empty" ? "in the chosen time" : text)
        .first()
        .waitFor();
      await expectAccessible(page);
    }
  });

  it("tells a member that the role does not allow it", async () => {
    const { page } = await open({ ...user, role: "member" }, { path: "/console/events" });
    await page.getByText("Your role does not allow this").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("shows hostile texts as texts, in the list and in an event, without a barrier", async () => {
    const hostile = samples(ATTACKS.length, (number) => {
      const text = ATTACKS[number % ATTACKS.length] ?? "";
      return {
        userId: text,
        ipAddress: text,
        userAgent: text,
        sessionId: text,
        resource: text,
        action: text,
        errorCode: text,
        errorMessage: text,
        location: text,
        success: false,
        eventType: number === 1 ? text : "DATA_READ",
        metadata: { [text]: text, nested: { [text]: [text] } },
      };
    });
    for (const view of oppositeScreens) {
      const { page, complaints } = await openEvents(
        async (opened) => {
          await answerEvents(opened, () => hostile);
          await opened.route(/\/security\/events\//, (route) => route.fulfill({ json: hostile[1] }));
        },
        "/console/events",
        view,
      );
      await page.getByRole("row").nth(1).waitFor();
      for (const attack of ATTACKS.slice(0, 4)) expect(await page.getByText(attack).count()).toBeGreaterThan(0);
      await expectAccessible(page);
      await page.getByRole("row").getByRole("link").nth(1).click();
      await page.getByRole("heading", { name: "Details" }).waitFor();
      await page.getByText("As JSON").click();
      await expectAccessible(page);
      expect(await page.title()).not.toBe("owned");
      expect(await page.locator("main :is(img, svg:not([role=img]), script, b)").count()).toBe(0);
      expect(complaints).toEqual([]);
    }
  });

  it("takes the mark of an event back if the service refuses it", async () => {
    const { page } = await openEvents(async (opened) => {
      await answerEvents(opened, () => samples(3));
      await failRequests(opened, /\/security\/alert$/);
    });
    await page.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: "Mark as processed" }).click();
    await page.getByText("The event is not marked as processed. The store does not answer.").waitFor();
    await page.getByText(REQUEST_ID).waitFor();
    await page.getByRole("checkbox").nth(2).waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(3);
  });

  it("selects at most 100 events", async () => {
    const { page } = await openEvents((opened) => answerEvents(opened, () => samples(120)));
    await page.getByRole("checkbox").nth(110).check();
    await page.getByRole("button", { name: "Select the first 100" }).click();
    await page.getByText("100 events selected").waitFor();
    await page.getByRole("checkbox").nth(110).click();
    await page.getByText("At most 100 events can be marked at once.").waitFor();
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(100);
  });

  it("follows new events at the top and holds them back while the user reads below", async () => {
    let events = samples(300);
    const { page } = await openEvents((opened) => answerEvents(opened, () => events, 100), "/console/events?live=on");
    const add = (count: number) => {
      const first = events.length + 1;
      events = [...samples(count).map((_, i) => sampleEvent(first + count - i, Date.now())), ...events];
    };
    const top = page.getByRole("row").nth(1);
    await page.getByText("Load more events").or(page.getByText("No more events")).first().waitFor();
    add(2);
    await page.locator(`[data-event="${events[0]?.id}"]`).waitFor();
    expect(await top.getAttribute("data-event")).toBe(events[0]?.id);

    await page.locator(`[data-event="${events[60]?.id}"]`).scrollIntoViewIfNeeded();
    const before = await page.evaluate("scrollY");
    add(12);
    await page.getByRole("button", { name: "12 new events" }).waitFor();
    expect(await page.evaluate("scrollY")).toBe(before);
    expect(await page.locator(`[data-event="${events[0]?.id}"]`).count()).toBe(0);
    await page.getByRole("button", { name: "12 new events" }).click();
    await page.locator(`[data-event="${events[0]?.id}"]`).waitFor();
    const shown = await page
      .locator("[data-event]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-event")));
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown.slice(0, 80)).toEqual(events.slice(0, 80).map(({ id }) => id));
  });
});

it("shows 10,000 events without drawing old rows again, and lays out only those near the screen", async () => {
  const events = samples(10_000);
  const { page, complaints } = await openEvents((opened) => answerEvents(opened, () => events));
  await page.locator("[data-event]").first().waitFor();
  await page.evaluate(`
    globalThis.redrawn = 0;
    const first = document.querySelector(".events-chunk");
    new MutationObserver((records) => { redrawn += records.length; }).observe(first, { subtree: true, childList: true, attributes: true, characterData: true });
    (async () => {
      while (document.querySelector(".more p") === null || document.querySelector(".pending") !== null) {
        await new Promise(requestAnimationFrame);
        scrollTo(0, document.documentElement.scrollHeight);
      }
      globalThis.isComplete = true;
    })();
  `);
  await page.waitForFunction("globalThis.isComplete === true");
  expect(await page.locator("[data-event]").count()).toBe(10_000);
  expect(await page.evaluate("redrawn")).toBe(0);
  const laidOut = await page.evaluate<number>(
    `[...document.querySelectorAll("[data-event]")].filter((row) => row.checkVisibility({ contentVisibilityAuto: true })).length`,
  );
  expect(laidOut).toBeLessThan(300);

  const middle = page.locator(`[data-event="${events[5_000]?.id}"]`);
  await middle.scrollIntoViewIfNeeded();
  await page.route(/\/security\/events\//, (route) => route.fulfill({ json: events[5_000] }));
  await middle.getByRole("link").click();
  await page.getByRole("heading", { name: "Details" }).waitFor();
  await page.goBack();
  await middle.waitFor();
  const { y = -1 } = (await middle.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(0);
  expect(y).toBeLessThan(900);
  expect(await page.locator("[data-event]").count()).toBe(10_000);
  expect(complaints).toEqual([]);
});
