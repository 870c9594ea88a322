/** All views in all states, both themes and both widths, and with hostile texts in every field. */
import { describe, expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import { failRequests, screens } from "../support/console.ts";
import { inspectAll, mannersOf, mannersUnderAttack, viewAddresses, walkByTab } from "../support/console-views.ts";
import { answerByExamples } from "../support/example-answers.ts";
import { createPoisoner } from "../support/hostile-answers.ts";
import { shareConsole } from "../support/share-console.ts";

const { open } = await shareConsole();

const user = { organizationId: "console-views-deep" };
const addresses = Object.values(viewAddresses).flat();

/** The answer with all lists empty, and without an account. */
const emptied = (value: unknown): unknown => {
  if (Array.isArray(value)) return [];
  if (typeof value !== "object" || value === null) return value;
  if ("provider" in value) return { status: "disconnected", provider: value.provider };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, Array.isArray(one) ? [] : one]));
};

const STATES = {
  data: (page: Page) => answerByExamples(page),
  "nothing yet": (page: Page) => answerByExamples(page, emptied),
  failures: (page: Page) => failRequests(page, /\/api\/integrations\//, { headers: { "retry-after": "30" } }),
} as const;

describe.each(Object.entries(STATES))("with %s", (_, answer) => {
  it.each(screens)("each view keeps its manners at $width px, $scheme", async (screen) => {
    const { page } = await open(user, screen);
    await answer(page);
    expect(await inspectAll(page, addresses, mannersOf)).toEqual([]);
  });
});

it.each(screens)("each view keeps its manners while it loads at $width px, $scheme", async (screen) => {
  // A view that has read something shows it again at once.
  const { page } = await open(user, { path: "/console/nowhere", ...screen });
  await page.route(/\/api\/integrations\//, () => undefined);
  const loading: string[] = [];
  const inspect = async (shown: Page, address: string) => {
    const notes = shown.getByText(/^Loading .* …$/).filter({ visible: true });
    if ((await notes.count()) > 0) loading.push(address);
    return mannersOf(shown);
  };
  expect(await inspectAll(page, addresses, inspect, false)).toEqual([]);
  const forms = /^\/console\/(alerts\/raise|notifications\/new|(mutes|own-rules)\/new)/;
  expect(loading).toEqual(addresses.filter((address) => !forms.test(address)));
});

it("a view whose files are on their way has its title", async () => {
  const { page } = await open(user);
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/console/assets/**", async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByText("Loading the page …").waitFor();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  expect(await mannersOf(page)).toEqual([]);
  release();
  await page.getByLabel("Allowed networks, one in each line").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
});

it.each(screens)("each view explains what a guest may not see at $width px, $scheme", async (screen) => {
  const { page } = await open({ ...user, role: "guest" }, screen);
  const found = await inspectAll(page, addresses, async () => {
    const isExplained = await page.getByText("Your role does not allow this").first().isVisible();
    return [...(await mannersOf(page)), ...(isExplained ? [] : ["the view does not say what is missing"])];
  });
  // Records may be allowed to guests, type by type, which the view itself explains.
  expect(found.filter(([address]) => !/records|customers/.test(address))).toEqual([]);
});

it.each([1_280, 320])("Tab reaches the controls of each view and shows where it is, at %d px", async (width) => {
  const { page } = await open(user, { width });
  await answerByExamples(page);
  expect(await inspectAll(page, addresses, (shown) => walkByTab(shown))).toEqual([]);
});

it("nothing moves for users who want reduced motion", async () => {
  const { page } = await open(user, { reducedMotion: true });
  await answerByExamples(page);
  const moving = `[...document.querySelectorAll("*")].filter((one) => {
    const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(one);
    return transitionDuration !== "0s" || animationName !== "none" || scrollBehavior === "smooth";
  }).map((one) => one.outerHTML.slice(0, 120))`;
  expect(await inspectAll(page, addresses, (shown) => shown.evaluate<string[]>(moving))).toEqual([]);
});

describe("hostile texts in every field", () => {
  /** Fields whose values the API takes from its own lists. */
  const OURS =
    /^(status|type|kind|level|alertLevel|riskLevel|category|source|mode|trigger|state|from|to|role|method|eventType|scope|interval|resourceType|rule|format|levels|changes|every|pausedBecause|at)$/;

  it.each(screens)("are shown as texts at $width px, $scheme", async (screen) => {
    const { page, complaints } = await open(user, screen);
    await answerByExamples(page, createPoisoner(OURS));
    const found = await inspectAll(page, addresses, mannersUnderAttack);
    expect(found).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(complaints).toEqual([]);
  });
});
