/** All views of the console, and what each of them must keep to in every state. */
import type { Page } from "playwright-core";
import { violations } from "./accessibility.ts";
import { showView } from "./console.ts";
import { exampleAnswer } from "./example-answers.ts";
import { INJECTED } from "./hostile-answers.ts";

const PROVIDER = "/api/integrations/provider";

/** The id of the first element of a list of the API's examples. */
const firstId = (list: string, key = "id"): string => {
  const body = exampleAnswer("GET", `${PROVIDER}/${list}`);
  const items = Array.isArray(body) ? body : (Object.values(body ?? {}).find(Array.isArray) ?? []);
  return encodeURIComponent(String((items as Record<string, unknown>[])[0]?.[key]));
};

/** An address of each path in functions/console/app/views.ts, with ids of the API's examples. */
export const viewAddresses: Readonly<Record<string, readonly string[]>> = {
  "/console": ["/console"],
  "/console/alerts": ["/console/alerts"],
  "/console/alerts/raise": ["/console/alerts/raise"],
  "/console/alerts/:id": [`/console/alerts/${firstId("security/alert")}`],
  "/console/events/:id?": ["/console/events", `/console/events/${firstId("security")}`],
  "/console/rules/:rule?": ["/console/rules", "/console/rules/repeated_auth_failures"],
  "/console/own-rules": ["/console/own-rules"],
  "/console/own-rules/new": ["/console/own-rules/new"],
  "/console/own-rules/:id": [`/console/own-rules/${firstId("detection/custom-rules")}`],
  "/console/mutes": ["/console/mutes"],
  "/console/mutes/new": ["/console/mutes/new", "/console/mutes/new?rule=manual&level=CRITICAL"],
  "/console/mutes/:id": [`/console/mutes/${firstId("mutes")}`],
  "/console/users/:id": ["/console/users/ada"],
  "/console/addresses/:ip": ["/console/addresses/192.0.2.7"],
  "/console/syncs": ["/console/syncs"],
  "/console/webhooks": ["/console/webhooks"],
  "/console/records/:type?": ["customers", "subscriptions", "invoices", "payments"].map(
    (type) => `/console/records/${type}`,
  ),
  "/console/records/:type/:id": [`/console/records/invoices/${firstId("records/invoices")}`],
  "/console/customers/:id": [`/console/customers/${firstId("records/customers")}`],
  "/console/circuit-breaker": ["/console/circuit-breaker"],
  "/console/connection": ["/console/connection"],
  "/console/settings": ["/console/settings"],
  "/console/notifications": ["/console/notifications"],
  "/console/notifications/new": ["/console/notifications/new"],
  "/console/notifications/:id": [`/console/notifications/${firstId("notifications")}`],
  "/console/reports": ["/console/reports"],
  "/console/integrity": ["/console/integrity"],
  "/console/exports": ["/console/exports"],
  "/console/exports/:id": [`/console/exports/${firstId("security/exports")}`],
  "/console/erasure": ["/console/erasure"],
  "/console/erasure/:id": [`/console/erasure/${firstId("erasure")}`],
};

/** Goes to another view without loading the page again. @param waits for what the view reads */
export const goTo = async (page: Page, address: string, waits = true): Promise<void> => {
  await showView(page, address);
  await page.evaluate(settled(waits ? /^(Loading|Signing)/ : /^Loading the page/));
};

/** Runs in the page until nothing loads and the view is unchanged for some frames. @param loading matches notes of loading. */
const settled = (loading: RegExp) => `(async () => {
  const frame = () => new Promise((resolve) => setTimeout(resolve, 20));
  const loads = () => [...document.querySelectorAll("[role=status]")].some((one) => ${loading}.test(one.textContent));
  const read = () => document.title + document.querySelector("main")?.innerHTML.replaceAll(/<time.*?<\\/time>/g, "");
  let before = "";
  for (let steady = 0; steady < 4; ) {
    await frame();
    const now = read();
    steady = now === before && !loads() && document.querySelector("main h1") !== null ? steady + 1 : 0;
    before = now;
  }
})()`;

/** Runs in the page. Whether the control with the focus shows it: by its outline, or that of the row which it covers. */
const SHOWS_FOCUS = `(one) => [getComputedStyle(one), getComputedStyle(one, "::after")].some(
  ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 1)`;

/** Runs in the page. Complaints about its headings, its width, and controls that hide the focus. */
const INSPECT = `(() => {
  const found = [];
  const showsFocus = ${SHOWS_FOCUS};
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true });
  if (/This page (cannot|could not) be (shown|loaded)/.test(document.body.textContent)) found.push("the view failed");
  const nameOf = (one) => one.outerHTML.slice(0, 120);
  const headings = [...document.querySelectorAll("h1, h2, h3, h4")].filter(isShown).filter((one) => one.closest("dialog") === null);
  const levels = headings.map(({ tagName }) => Number(tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1 || levels[0] !== 1)
    found.push("headings: expected one h1, and first: " + headings.map(nameOf).join(" "));
  levels.forEach((level, i) => { if (level > (levels[i - 1] ?? 0) + 1) found.push("heading skips a level: " + nameOf(headings[i])); });
  for (const link of document.querySelectorAll("nav a[href]")) {
    const leadsHere = link.pathname + link.search === location.pathname + location.search;
    const isCurrent = link.ariaCurrent === "page";
    // A view keeps its link if the address has filters, or names one of its items.
    const isBelow = (location.pathname + "/").startsWith(link.pathname + "/");
    if (leadsHere ? !isCurrent : isCurrent && !isBelow)
      found.push((isCurrent ? "is not the current page: " : "is the current page: ") + nameOf(link));
  }
  if (!/^.+ · Integration console$/.test(document.title)) found.push("title: " + document.title);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    const wide = [...document.querySelectorAll("main *, header *")].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
    found.push("wider than the page by " + (scrollWidth - clientWidth) + " px: " + wide.slice(0, 3).map(nameOf).join(" "));
  }
  const before = document.activeElement;
  for (const one of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
    if (!isShown(one) || one.disabled) continue;
    one.focus({ focusVisible: true, preventScroll: true });
    if (document.activeElement !== one) { found.push("takes no focus: " + nameOf(one)); continue; }
    if (!showsFocus(one)) found.push("does not show the focus: " + nameOf(one));
  }
  before?.focus?.({ preventScroll: true });
  return found;
})()`;

/** What is wrong with the page as it is now; nothing if all is well. */
export const mannersOf = async (page: Page): Promise<string[]> => [
  ...(await page.evaluate<string[]>(INSPECT)),
  ...(await violations(page)),
];

/** Complaints about a page behind a dialog: what is behind it takes no focus. */
export const mannersOfDialog = async (page: Page): Promise<string[]> =>
  (await mannersOf(page)).filter((complaint) => !/^(takes no focus|does not show the focus)/.test(complaint));

/** What is wrong with a page that shows answers with attacks in them. */
export const mannersUnderAttack = async (page: Page): Promise<string[]> => [
  ...(await page.evaluate<string[]>(INJECTED)),
  ...(await mannersOf(page)),
];

type Inspect = (page: Page, address: string) => Promise<string[]>;

/** Looks at views one after the other in one page. @returns the addresses with complaints */
export const inspectAll = async (page: Page, addresses: readonly string[], inspect: Inspect, waits = true) => {
  const found: [address: string, complaints: string[]][] = [];
  for (const address of addresses) {
    await goTo(page, address, waits);
    found.push([address, await inspect(page, address)]);
  }
  return found.filter(([, complaints]) => complaints.length > 0);
};

/** Runs in the page: the control with the focus, and whether it shows. */
const FOCUSED = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return { name: "", isLost: true };
  const showsFocus = ${SHOWS_FOCUS};
  const box = one.getBoundingClientRect();
  const isOnScreen = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
  const isSeen = one.matches(":focus-visible") && showsFocus(one) && isOnScreen;
  if (globalThis.walked === undefined) globalThis.walked = new WeakSet();
  const isKnown = globalThis.walked.has(one);
  globalThis.walked.add(one);
  return { name: one.outerHTML.slice(0, 120), isSeen, isKnown };
})()`;

/** Walks through the page with the Tab key from its first link on. @returns the controls that do not show the focus */
export const walkByTab = async (page: Page, most = 150): Promise<string[]> => {
  const unseen: string[] = [];
  await page.evaluate(`globalThis.walked = undefined; document.querySelector("a.skip").focus()`);
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const { name, isLost, isSeen, isKnown } = await page.evaluate<Record<string, string | boolean>>(FOCUSED);
    // After the last control, the focus leaves the page.
    if (isLost || isKnown) return i === 0 ? ["Tab reaches no control"] : unseen;
    if (!isSeen) unseen.push(String(name));
  }
  return unseen;
};
