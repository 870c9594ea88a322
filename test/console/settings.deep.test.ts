import { describe, expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

const path = "/console/settings";

describe("the view Settings", () => {
  it("explains mistakes, warns of a lock-out that the service refuses, and saves what it announced", async () => {
    const ours = organizationOf(service, "console-settings");
    const { page } = await open(ours, { path });
    const networks = page.getByLabel("Allowed networks, one in each line");
    const save = page.getByRole("button", { name: "Save", exact: true });
    await networks.fill("192.0.2.0/24\n10.0.0.1");
    await page.getByText("Add the prefix length: 10.0.0.1/32 is this address alone.").waitFor();
    await save.click();
    expect(await networks.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");

    await networks.fill("192.0.2.0/24");
    await page.getByText("This list locks you out.").waitFor();
    await save.click();
    await page.getByRole("button", { name: "Save anyway" }).click();
    await page
      .getByRole("alert")
      .getByText("Nothing was saved. Add a network that contains your own address")
      .waitFor();
    expect((await ours.call("GET", "settings")).body).toMatchObject({ ipAllowlist: [] });

    await page.getByRole("button", { name: "Add my address" }).click();
    await page.getByLabel("Members may read invoices").check();
    await page.getByLabel("Write our events").check();
    await page.getByText("Switches the feed for a SIEM on.").waitFor();
    await page.getByLabel("Hold a drill each month").check();
    await page.getByText("Switches monthly drills on.").waitFor();
    await page.getByText("Adds the network 127.0.0.1/32.").waitFor();
    await page.getByText("Members may read invoices.", { exact: true }).waitFor();
    await save.click();
    await page.getByText("The settings are saved.").waitFor();
    expect((await ours.call("GET", "settings")).body).toEqual({
      ipAllowlist: ["192.0.2.0/24", "127.0.0.1/32"],
      recordAccess: { member: ["invoices"], guest: [] },
      siemFeed: true,
      accountActivity: true,
      drill: "monthly",
    });
  });

  it("asks before a draft is lost, keeps it over a reload, and shows what others changed concurrently", async () => {
    const ours = organizationOf(service, "console-drafts");
    const { page } = await open(ours, { path: "/console" });
    await page.getByRole("link", { name: "Settings" }).click();
    const guests = page.getByLabel("Guests may read customers");
    await guests.check();
    for (const leave of [
      () => page.getByRole("link", { name: "Overview" }).click(),
      () => page.evaluate("history.back()"),
    ]) {
      await leave();
      const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      expect([new URL(page.url()).pathname, await guests.isChecked()]).toEqual([path, true]);
    }

    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await guests.waitFor();
    expect(await guests.isChecked()).toBe(true);

    await ours.call("PUT", "settings", { recordAccess: { member: ["payments"] } }, { userId: "bob" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const note = page.getByRole("alert");
    await note.getByText("Members may read payments.").waitFor();
    expect((await ours.call("GET", "settings")).body).toMatchObject({
      recordAccess: { member: ["payments"], guest: [] },
    });
    await note.getByRole("button", { name: "Keep my version" }).click();
    await page.getByText("Members may no longer read payments.").waitFor();

    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Leave without saving" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goBack();
    await page.getByText("Nothing has changed.").waitFor();
    expect(await guests.isChecked()).toBe(false);
  });
});
