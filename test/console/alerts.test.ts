import { describe, expect, it } from "@jest/globals";
import { shareConsole } from "../support/share-console.ts";

const SECURITY = "/api/integrations/provider/security";

const { service, open } = await shareConsole();

const organizationId = "console-alerts";

/** A brute force: tokens of one user that have expired, again and again. Others ask for what they may not see. */
const plantAttack = async (): Promise<string> => {
  const expired = await service.mint({ organizationId, userId: "mallory", expiresInSeconds: -120 });
  for (let i = 0; i < 5; i++) await service.request("GET", SECURITY, { token: expired });
  for (const userId of ["eve", "bob"])
    await service.request("GET", SECURITY, { token: await service.mint({ organizationId, userId, role: "guest" }) });
  return service.mint({ organizationId, userId: "checker" });
};

describe("the view of alerts", () => {
  it("leads from an attack to its evidence, and takes it through triage", async () => {
    const token = await plantAttack();
    const read = async (path: string) => (await service.request("GET", `${SECURITY}/${path}`, { token })).body;
    const { page, complaints } = await open({ organizationId }, { path: "/console/alerts" });
    const attack = page.getByRole("row", { name: /A call with an invalid or expired token was refused/ });
    await attack.waitFor();
    expect(await attack.innerText()).toMatch(/High[\s\S]*Address 127\.0\.0\.1[\s\S]*×5[\s\S]*Open/);

    await attack.getByRole("link").click();
    await page.getByText("What to do:").waitFor();
    await page.getByText("user mallory").first().waitFor();
    const events = page.getByRole("region", { name: /^Events/ }).getByRole("link", { name: "Authentication failure" });
    await events.nth(4).waitFor();
    expect(await events.count()).toBe(5);
    // The story: refusals that follow each other are one entry.
    const lasted = page.getByRole("list", { name: "While it lasted" });
    expect(await lasted.innerText()).toMatch(
      /Raised[\s\S]*Authentication failure ×\d mallory from 127\.0\.0\.1[\s\S]*Refused/,
    );
    await page.getByRole("list", { name: "After it" }).getByText("Permission denied").nth(1).waitFor();
    await events.first().click();
    await page.getByRole("heading", { name: "Authentication failure", level: 1 }).waitFor();
    expect(page.url()).toContain("/console/events/");
    await page.goBack();

    await page.getByText("What to do:").waitFor();
    const id = decodeURIComponent(page.url().split("/").at(-1) ?? "");
    await page.keyboard.press("a");
    await page.getByText("1 alert is acknowledged.").waitFor();
    // Users whom events name are offered.
    await page.getByRole("button", { name: "Assign to another user …" }).click();
    await page.locator('datalist option[value="mallory"]').waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.getByText("1 alert is assigned to ada.").waitFor();
    await page.getByLabel("Comment").fill("Mallory left the team.");
    await page.reload();
    await page.getByRole("button", { name: "Comment" }).click();
    const history = page.getByRole("list", { name: "History of the alert" }).getByRole("listitem");
    await history.filter({ hasText: "ada commented" }).waitFor();
    await page.getByRole("button", { name: "Resolve" }).click();
    await history.filter({ hasText: "ada resolved it" }).waitFor();
    await page.getByRole("list", { name: "After it" }).getByText("ada resolved it").waitFor();
    expect(await read(`alert/${id}`)).toMatchObject({
      status: "resolved",
      acknowledgedBy: "ada",
      resolvedBy: "ada",
      assignee: "ada",
      history: expect.arrayContaining([
        expect.objectContaining({ change: "commented", text: "Mallory left the team." }),
      ]),
    });

    // Back in the list, the others are selected by keys and resolved together.
    await page.keyboard.press("u");
    await page.getByText("2 alerts shown").waitFor();
    expect(await attack.count()).toBe(0);
    for (const key of ["j", "x", "j", "x", "r"]) await page.keyboard.press(key);
    await page.getByLabel("Resolve as").selectOption({ label: "False alarm" });
    await page.getByRole("button", { name: "Resolve 2 alerts" }).click();
    await page.getByText("All clear: no alert needs you").waitFor();
    await page.getByText("2 alerts are resolved.").waitFor();
    expect(await read("alert?status=open")).toEqual([]);
    const resolved = (await read("alert?status=resolved")) as { cause?: string }[];
    expect(resolved.map(({ cause }) => cause).sort()).toEqual(["false_alarm", "false_alarm", undefined]);
    await page.goto(`/console/alerts/${id}`);
    await page.getByRole("button", { name: "Open again" }).click();
    await page.getByText("1 alert is open again.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows what a finding rests on", async () => {
    const other = "console-findings";
    const token = await service.mint({ organizationId: other, userId: "mallory", role: "guest" });
    for (let i = 0; i < 2; i++)
      await service.request("PUT", "/api/integrations/provider/settings", { token, body: "{}" });
    const { page, complaints } = await open({ organizationId: other }, { path: "/console/alerts" });
    const finding = page.getByRole("row", { name: /tried to change the circuit breaker or the settings/ });
    await finding.waitFor();
    expect(await finding.innerText()).toMatch(/High[\s\S]*User mallory[\s\S]*×2[\s\S]*Open/);
    await finding.getByRole("link").click();
    await page.getByText("What to do:").waitFor();
    expect(await page.getByRole("main").innerText()).toMatch(/Permissions denied\s+settings:manage/);
    await page.getByRole("link", { name: "Permission denied" }).first().click();
    await page.getByRole("heading", { name: "Permission denied", level: 1 }).waitFor();
    expect(page.url()).toContain("/console/events/");
    expect(complaints).toEqual([]);
  });
});
