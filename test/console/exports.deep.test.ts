/** The view Exports in the states of exports and files, and the dialogs that request exports. */
import { describe, expect, it } from "@jest/globals";
import { oppositeScreens } from "../support/console.ts";
import { goTo, inspectAll, mannersOf, mannersOfDialog, mannersUnderAttack } from "../support/console-views.ts";
import { answerExportsInAllStates, exportsInAllStates } from "../support/export-answers.ts";
import { createPoisoner } from "../support/hostile-answers.ts";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

const user = { organizationId: "console-export-states" };
const addresses = [
  "/console/exports",
  "/console/exports/none-such",
  ...exportsInAllStates(0).map(({ id }) => `/console/exports/${id}`),
];

/** The browser reports the answer for the export that does not exist. */
const unexpected = (complaints: readonly string[]): string[] =>
  complaints.filter((complaint) => !complaint.includes("a status of 404"));

describe.each(oppositeScreens)("at $width px, $scheme", (screen) => {
  it("each state and each dialog keeps its manners", async () => {
    const { page, complaints } = await open(user, screen);
    await answerExportsInAllStates(page);
    expect(await inspectAll(page, addresses, mannersOf)).toEqual([]);
    for (const [address, button] of [
      ["/console/exports", "Export everything …"],
      ["/console/events?riskLevel=HIGH", "Export …"],
    ] as const) {
      await goTo(page, address);
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      expect(await mannersOfDialog(page)).toEqual([]);
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    }
    expect(unexpected(complaints)).toEqual([]);
  });

  it("hostile texts are shown as texts", async () => {
    const { page, complaints } = await open(user, screen);
    await answerExportsInAllStates(page, createPoisoner(/^(id|status|kind|format|category|riskLevel|source)$/));
    const found = await inspectAll(page, addresses, mannersUnderAttack);
    expect(found).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(unexpected(complaints)).toEqual([]);
  });
});

it("a file without a link that is safe, or with one that has ended, cannot be downloaded", async () => {
  const { page } = await open(user);
  await answerExportsInAllStates(page);
  await goTo(page, "/console/exports/completed");
  const download = page.getByRole("link", { name: "Download manifest.json" });
  expect(await download.getAttribute("href")).toBe("https://bucket.example.com/manifest.json");
  await page.clock.install();
  await page.clock.fastForward(16 * 60_000);
  await page.getByText("The links have ended.").waitFor();
  expect(await download.count()).toBe(0);
  await page.getByRole("button", { name: "Get new links" }).waitFor();
});

it("events are exported with the filters of their view, and everything with a manifest", async () => {
  const ours = organizationOf(service, "console-exports");
  await ours.call("GET", "settings");
  await ours.call("GET", "settings", undefined, { userId: "eve", role: "guest" });
  const { page, complaints } = await open(ours, { path: "/console/events?userId=eve" });
  await page.getByRole("button", { name: "Export …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("User: eve").waitFor();
  await dialog.getByRole("radio", { name: /^CSV/ }).check();
  await dialog.getByRole("button", { name: "Start the export" }).click();
  const link = dialog.getByRole("link", { name: /^Download / });
  await link.waitFor();
  const table = await (await fetch((await link.getAttribute("href")) ?? "")).text();
  expect(table).toContain("PERMISSION_DENIED");
  expect(table.trim().split("\r\n")).toHaveLength(2);

  await dialog.getByRole("link", { name: "Open the export" }).click();
  await page.getByRole("heading", { name: "Events as CSV" }).waitFor();
  await page.getByRole("link", { name: "All exports" }).click();
  await page
    .getByRole("row", { name: /Events as CSV/ })
    .getByText("Completed")
    .waitFor();

  await page.getByRole("button", { name: "Export everything …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Export everything" }).click();
  const manifest = page.getByRole("link", { name: "Download manifest.json" });
  await manifest.waitFor();
  const { files } = (await (await fetch((await manifest.getAttribute("href")) ?? "")).json()) as {
    files: { name: string; sha256: string }[];
  };
  const shown = await page.getByRole("table", { name: "Files" }).innerText();
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter(({ name }) => !shown.includes(name))).toEqual([]);
  expect(files.every(({ sha256 }) => shown.includes(sha256.slice(0, 12)))).toBe(true);
  expect(complaints).toEqual([]);
});
