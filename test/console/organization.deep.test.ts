/** The states of the views Connection, Settings, Reports and Erasure, and what attackers may write into their fields. */
import { describe, expect, it } from "@jest/globals";
import { ATTACKS } from "../shared/reports/hostile.ts";
import { failRequests, REQUEST_ID, screens } from "../support/console.ts";
import { organizationOf } from "../support/integration.ts";
import { expectAccessible, shareConsole } from "../support/share-console.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

const { service, open } = await shareConsole();

const PROVIDER = "**/api/integrations/provider";
const WEEK_MS = 7 * 86_400_000;
const at = Date.UTC(2026, 10, 16);

const removed = { records: 1, webhookEvents: 2, events: 3, alerts: 4, reports: 5, detections: 6, other: 7 };
const erasure = (more: object) => ({
  id: "01ERASURE",
  scope: "user",
  status: "running",
  requestedAt: at,
  requestedBy: "ada",
  dueAt: at + WEEK_MS,
  removed,
  ...more,
});

describe.each(screens)("on a screen of $width pixels, $scheme", (view) => {
  it("the states of Connection are accessible and fit", async () => {
    const name = `console-states-${view.width}-${view.scheme}`;
    const ours = organizationOf(service, name);
    const { page } = await open(ours, { path: "/console/connection", ...view });
    await page.getByText("Not connected yet", { exact: true }).waitFor();
    await page.getByText("Permissions that the key needs").click();
    await page.getByRole("radio", { name: /by hand/ }).check();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Enter the API key and at least one signing secret.").waitFor();
    await expectAccessible(page, "disconnected");
    await page.getByRole("radio", { name: /^OAuth/ }).check();
    await expectAccessible(page, "by OAuth");

    const provider = simulatedProvider(service);
    const { accountId, apiKey } = await provider.account(4, { seed: name });
    await ours.connect(apiKey);
    await ours.lastRun();
    const fault = await provider.fail(accountId, { kind: "error", status: 401 });
    await ours.sync();
    await provider.recover(fault);
    await page.reload();
    await page.getByText("Needs reconnecting").waitFor();
    await page.getByText("The provider refused the API key twice").waitFor();
    expect(await page.getByRole("link", { name: "the event" }).getAttribute("href")).toMatch(/^\/console\/events\/\w/);
    await expectAccessible(page, "needs reconnecting");
    await page.getByRole("button", { name: "Disconnect" }).click();
    await expectAccessible(page, "asks before disconnecting");
    await page.keyboard.press("Escape");

    await page.goto("/console/connection?error=access_denied");
    await page.getByText("The provider did not grant access: access_denied.").waitFor();
    await page.waitForURL(({ search }) => search === "");
    await expectAccessible(page, "refused by the provider");
    await page.goto("/console/connection?code=none&state=none");
    await page.getByText("An authorization is good for ten minutes").waitFor();
    await page.waitForURL(({ search }) => search === "");
    await expectAccessible(page, "an invalid return");

    await failRequests(page, `${PROVIDER}/connection`);
    await page.goto("/console/connection");
    await page.getByText(REQUEST_ID).waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await expectAccessible(page, "unavailable");
  });

  it("the states of Settings, Reports and Erasure are accessible and fit", async () => {
    const ours = organizationOf(service, `console-forms-${view.width}-${view.scheme}`);
    const { page } = await open(ours, { path: "/console/settings", ...view });
    const networks = page.getByLabel("Allowed networks, one in each line");
    await networks.waitFor();
    await expectAccessible(page, "settings");
    await networks.fill("192.0.2.0/24\nhello\n192.0.2.0/24");
    await page.getByText("This is not an IPv4 or IPv6 address.").waitFor();
    await expectAccessible(page, "mistakes in settings");
    await networks.fill("192.0.2.0/24");
    await page.getByText("This list locks you out.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expectAccessible(page, "asks before a lock-out");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();

    await page.route(`${PROVIDER}/reports?*`, (route) => route.fulfill({ json: [] }));
    await page.goto("/console/reports");
    await page.getByText("There are no reports yet").waitFor();
    await expectAccessible(page, "no reports");
    await page.unrouteAll();
    const report = { id: "review-2026-11-16", kind: "review", from: at, to: at + WEEK_MS, createdAt: at };
    await page.route(`${PROVIDER}/reports?*`, (route) => route.fulfill({ json: [report] }));
    await page.goto("/console/reports");
    await page.getByRole("button", { name: /^Download HTML/ }).click();
    await page.getByText("The report has expired, or an erasure removed it.").waitFor();
    await expectAccessible(page, "a report that has expired");

    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const erasures = [erasure({}), erasure({ id: "01OTHER", scope: "all", reason: "left", status: "requested" })];
    await page.route(`${PROVIDER}/erasure?*`, async (route) => {
      await held;
      await route.fulfill({ json: erasures });
    });
    await page.goto("/console/erasure");
    await page.getByText("Loading erasures …").waitFor();
    await expectAccessible(page, "erasures are loading");
    release();
    await page.getByText("28 items removed so far.").first().waitFor();
    await page.getByRole("radio", { name: /^Everything/ }).check();
    await page.getByRole("button", { name: "Request erasure …" }).click();
    await page.getByLabel(`Type the organization’s id, ${ours.organizationId}, to confirm`).fill("another");
    await page.getByRole("button", { name: "Erase everything" }).click();
    await expectAccessible(page, "asks before an erasure");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "One user’s data" }).click();
    await page.getByText("What was removed so far").waitFor();
    await expectAccessible(page, "an erasure that runs");
    erasures[0] = erasure({ status: "completed", completedAt: at });
    await page.getByRole("heading", { name: "Proof of erasure" }).waitFor();
    await expectAccessible(page, "a proof");
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
    await page.goto("/console/erasure/01UNKNOWN");
    await page.getByText("There is no such erasure here").waitFor();
  });
});

it("roles see what they may do, and why not more", async () => {
  const organizationId = "console-roles";
  const member = await open({ organizationId, role: "member" }, { path: "/console/connection?code=c&state=s" });
  await member.page.getByText("Your role may not connect an account").waitFor();
  await member.page.getByText("Not connected yet", { exact: true }).waitFor();
  expect(await member.page.getByRole("button", { name: /onnect/ }).count()).toBe(0);
  const billing = await open({ organizationId, role: "billing" }, { path: "/console/settings" });
  for (const path of ["settings", "reports", "erasure"]) {
    await billing.page.goto(`/console/${path}`);
    await billing.page.getByText("Your role does not allow this").waitFor();
  }
  await billing.page.getByRole("link", { name: "Connection" }).click();
  await billing.page.getByRole("button", { name: "Connect", exact: true }).waitFor();
});

it.each(ATTACKS.map((attack, index) => [index, attack] as const))(
  "attack %i is shown as text in each field",
  async (index, attack) => {
    const { page, complaints } = await open(
      { organizationId: `console-attack-${index}` },
      { path: "/console/settings" },
    );
    const answers = {
      connection: {
        status: "needs_reconnect",
        method: "api_key",
        accountId: attack,
        syncIntervalHours: 4,
        provider: { name: attack, apiKeysUrl: attack, webhooksUrl: attack },
        webhookSetup: {
          eventTypes: [],
          keyPermissions: [{ resource: attack, access: attack, name: attack, requiredFor: "sync" }],
        },
      },
      settings: { ipAllowlist: [attack], recordAccess: { member: [], guest: [] } },
      "reports?*": [{ id: attack, kind: "compliance", from: at, to: at + WEEK_MS, createdAt: at }],
      "erasure?*": [erasure({ id: attack, requestedBy: attack, reason: attack })],
    };
    for (const [path, json] of Object.entries(answers))
      await page.route(`${PROVIDER}/${path}`, (route) =>
        route.request().method() === "GET"
          ? route.fulfill({ json })
          : route.fulfill({ status: 422, headers: { "x-request-id": "id" }, json: { error: 42201, message: attack } }),
      );
    const shows = async (): Promise<void> => {
      // The browser draws some characters in another way, so a part that is drawn as it is counts.
      const part = attack.slice(0, 8);
      expect(await page.getByRole("main").innerText()).toContain(part);
    };
    await page.goto(`/console/connection?error=e&error_description=${encodeURIComponent(attack.toWellFormed())}`);
    await page.getByText("Needs reconnecting").waitFor();
    await shows();
    await page.getByLabel("API key", { exact: true }).fill("key");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Check that the key is complete").waitFor();
    for (const link of await page.getByRole("link").all())
      expect(await link.getAttribute("href")).toMatch(/^(\/|#|https:)/);
    await page.goto("/console/settings");
    await page.getByText("Line 1").first().waitFor();
    await shows();
    await page.goto("/console/erasure");
    await page.getByText("28 items removed so far.").waitFor();
    await shows();
    await page.getByRole("link", { name: "One user’s data" }).click();
    await page
      .getByRole("heading", { name: /Progress|Erasure/ })
      .first()
      .waitFor();
    await page.goto("/console/reports");
    await page.getByRole("button", { name: /^Open/ }).waitFor();
    expect(await page.title()).not.toBe("owned");
    expect(await page.evaluate("document.querySelectorAll('main :is(script, img, svg, style)').length")).toBe(0);
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  },
);
