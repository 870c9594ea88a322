import { describe, expect, it } from "@jest/globals";
import type { DetectionRule } from "../../.build/console/openapi.d.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

describe("the view Rules", () => {
  it("switches a rule off, which the overview shows, and on again; and saves thresholds and known users", async () => {
    const ours = organizationOf(service, "console-rules");
    const { page } = await open(ours, { path: "/console/rules" });
    await page.getByRole("link", { name: "No successful sync" }).click();
    await page.getByLabel("The rule is on").uncheck();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("No successful sync: the settings are saved.").waitFor();

    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("Detection does not look for: No successful sync.").waitFor();
    await page.getByRole("link", { name: "Open Rules" }).click();
    await page.getByRole("link", { name: "No successful sync" }).click();
    await page.getByLabel("The rule is on").check();
    await page.getByLabel("Intervals").fill("1");
    await page.getByText("Type a whole number from 2 to 42.").waitFor();
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Intervals").fill("6");
    await page.getByLabel("Known users, one in each line").fill("robot");
    await page.getByRole("button", { name: "Show what this would have done" }).click();
    await page.getByText("It would have changed nothing.").waitFor();
    await page.getByRole("combobox", { name: "In the last" }).selectOption("30 days");
    await page.getByLabel("Known users, one in each line").fill("robot\n");
    await page.getByText("You have changed the form since. Show it again.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const saved = await eventually("the rule is saved", async () =>
      ((await ours.call("GET", "detection/rules")).body as DetectionRule[]).find(({ revision }) => revision === 2),
    );
    expect(saved).toMatchObject({
      rule: "sync_silence",
      enabled: true,
      thresholds: { intervals: { value: 6 } },
      known: { networks: [], users: ["robot"] },
    });
  });
});
