import { describe, expect, it } from "@jest/globals";
import type { Alert, Mute } from "../../.build/console/openapi.d.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

describe("mutes in the console", () => {
  it("mute an alert until tomorrow from its page, show what they hid, and are ended", async () => {
    const ours = organizationOf(service, "console-mutes");
    const raise = async (title: string) => {
      const { body } = await ours.call("POST", "security/alert", { action: "generate_alert", title, riskLevel: "LOW" });
      return (body as { alert: Alert }).alert.id;
    };
    const id = await raise("The first alert");
    const { page, complaints } = await open(ours, { path: `/console/alerts/${id}` });
    await page.getByRole("button", { name: "Mute …" }).click();
    await page.getByRole("heading", { name: "Mute alerts", level: 1 }).waitFor();
    expect(await page.getByLabel("Raised by hand").isChecked()).toBe(true);
    expect(await page.getByLabel("Low", { exact: true }).isChecked()).toBe(true);
    expect(await page.getByLabel("High", { exact: true }).isChecked()).toBe(false);
    expect(await page.getByLabel("Tomorrow at 8:00").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByText("Write why").waitFor();
    await page.getByLabel("Reason").fill("We test by hand");
    await page.reload();
    await page.getByRole("button", { name: "Mute", exact: true }).click();
    await page.getByRole("heading", { name: "Raised by hand", level: 1 }).waitFor();
    const [mute] = (await ours.call("GET", "mutes")).body as Mute[];
    expect(mute).toMatchObject({ rules: ["manual"], levels: ["LOW"], reason: "We test by hand", state: "active" });

    await raise("The second alert");
    await eventually("the alert is hidden", async () => {
      const { body } = await ours.call("GET", `mutes/${mute?.id}`);
      return (body as Mute).hidden.alerts === 1;
    });
    await page.getByRole("link", { name: "All mutes" }).click();
    await page.getByText("1 alert (1 low), 0 notifications not sent").waitFor();
    await page.getByRole("link", { name: "Raised by hand" }).click();
    await page.getByRole("link", { name: "The second alert" }).click();
    await page.getByText("Its notifications wait until the mute ends.").waitFor();
    await page.getByRole("link", { name: "We test by hand" }).click();
    await page.getByRole("button", { name: "End the mute …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End the mute" }).click();
    await page.getByText("Ended", { exact: true }).first().waitFor();
    expect((await ours.call("GET", `mutes/${mute?.id}`)).body).toMatchObject({ state: "ended", endedBy: "ada" });
    expect(complaints).toEqual([]);
  });
});
