import { describe, expect, it } from "@jest/globals";
import type { CustomRule } from "../../.build/console/openapi.d.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { shareConsole } from "../support/share-console.ts";

const { service, open } = await shareConsole();

describe("the view Own rules", () => {
  it("makes a rule that runs dry, sets it live and deletes it", async () => {
    const ours = organizationOf(service, "console-own-rules");
    const rules = async () => (await ours.call("GET", "detection/custom-rules")).body as CustomRule[];
    const { page, complaints } = await open(ours, { path: "/console/own-rules" });
    await page.getByRole("link", { name: "New rule …" }).click();
    await page.getByRole("button", { name: "Make the rule" }).click();
    await page.getByText("Say at least one thing").waitFor();
    await page.getByLabel("Types", { exact: true }).selectOption("Permission denied");
    await page.getByLabel("Types", { exact: true }).selectOption("Authentication failure");
    await page.getByRole("button", { name: "Take away Authentication failure" }).click();
    await page.getByRole("textbox", { name: "At least" }).fill("3");
    await page.getByRole("combobox", { name: "Within" }).selectOption("1 day");
    await page.getByRole("combobox", { name: "Counted for" }).selectOption("each user");
    await page.getByRole("textbox", { name: "Name" }).fill("Many refusals of a user");
    await page.getByText("3 or more events of one user within 1 day (Permission denied).").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Show what this would have done" }).click();
    await page.getByText("It would have changed nothing.").waitFor();
    await page.getByRole("button", { name: "Make the rule" }).click();
    await page.getByRole("heading", { name: "Many refusals of a user", level: 1 }).waitFor();
    await page.getByText("0 findings").waitFor();
    expect(await rules()).toMatchObject([
      {
        name: "Many refusals of a user",
        mode: "dryRun",
        filter: { eventTypes: ["PERMISSION_DENIED"] },
        groupBy: "userId",
        windowMinutes: 1_440,
        condition: { gte: 3 },
      },
    ]);

    await page.getByRole("radio", { name: /^Live/ }).check();
    await page.getByRole("combobox", { name: "Level of its alerts" }).selectOption("High");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("It counts anew from this hour on.").waitFor();
    expect(await rules()).toMatchObject([{ mode: "live", level: "HIGH", revision: 2 }]);
    await page.getByRole("link", { name: "All own rules" }).click();
    await page
      .getByRole("row", { name: /Many refusals of a user.*High.*Live/s })
      .getByRole("link")
      .click();
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete the rule" }).click();
    await page.getByText("No own rules yet").waitFor();
    expect(await eventually("the rule is gone", async () => (await rules()).length === 0)).toBe(true);
    expect(complaints).toEqual([]);
  });
});
