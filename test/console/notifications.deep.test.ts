/** The view Notifications in the states of destinations and deliveries. */
import { describe, expect, it } from "@jest/globals";
import { failRequests, oppositeScreens, REQUEST_ID } from "../support/console.ts";
import { goTo, inspectAll, mannersOf, mannersOfDialog, mannersUnderAttack } from "../support/console-views.ts";
import { createPoisoner } from "../support/hostile-answers.ts";
import { answerInAllStates, destinationsInAllStates } from "../support/notification-answers.ts";
import { shareConsole } from "../support/share-console.ts";

const { open } = await shareConsole();

const user = { organizationId: "console-notification-states" };
const ADDRESS = "/console/notifications";
const addresses = [
  ADDRESS,
  `${ADDRESS}/none-such`,
  `${ADDRESS}/active?change=open`,
  `${ADDRESS}/unconfirmed?change=open`,
  ...["webhook", "email", "slack", "teams"].map((type) => `${ADDRESS}/new?type=${type}`),
  ...destinationsInAllStates(0).map(({ id }) => `${ADDRESS}/${id}`),
];

describe.each(oppositeScreens)("at $width px, $scheme", (screen) => {
  it("each state keeps its manners, also the mistakes in a form", async () => {
    const { page, complaints } = await open(user, screen);
    await answerInAllStates(page);
    expect(await inspectAll(page, addresses, mannersOf)).toEqual([]);

    await goTo(page, `${ADDRESS}/new?type=email`);
    await page.getByRole("radio", { name: /^Daily summary/ }).check();
    await page.getByLabel("Quiet hours").check();
    await page.getByRole("radio", { name: /^Only some/ }).check();
    await page.getByRole("button", { name: "Add the destination" }).click();
    for (const mistake of ["Enter a name.", "Enter the e-mail address.", "Choose at least one rule, or all rules."])
      await page.getByText(mistake).waitFor();
    expect(await page.getByLabel("Name").evaluate("document.activeElement.tagName")).toBe("INPUT");
    expect(await mannersOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("each dialog keeps its manners", async () => {
    const { page } = await open(user, screen);
    await answerInAllStates(page);
    const found: Record<string, string[]> = {};
    const inspectDialog = async (address: string, button: string): Promise<void> => {
      await goTo(page, address);
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByRole("dialog").waitFor();
      found[button] = await mannersOfDialog(page);
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    };
    await inspectDialog(`${ADDRESS}/active`, "Pause");
    await inspectDialog(`${ADDRESS}/active`, "Roll the secret");
    await inspectDialog(`${ADDRESS}/active`, "Delete");
    await inspectDialog(`${ADDRESS}/gone`, "Resume");
    expect(Object.entries(found).filter(([, complaints]) => complaints.length > 0)).toEqual([]);
  });

  it("hostile texts are shown as texts", async () => {
    const { page, complaints } = await open(user, screen);
    await answerInAllStates(
      page,
      createPoisoner(
        /^(id|type|status|kind|format|levels|changes|every|from|to|at|pausedBecause|category|riskLevel|source)$/,
      ),
    );
    const found = await inspectAll(page, addresses, mannersUnderAttack);
    expect(found).toEqual([]);
    expect(await page.title()).not.toBe("owned");
    expect(complaints).toEqual([]);
  });
});

it("a failed test, retry or change says why, with the request id, and leaves everything as it is", async () => {
  const { page } = await open(user);
  await answerInAllStates(page);
  await failRequests(page, /\/notifications\/(.+\/(test|retry)|active)$/);
  await goTo(page, `${ADDRESS}/active`);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test was not sent. The store does not answer.").waitFor();
  await page.getByRole("button", { name: "Send again: Alert resolved" }).click();
  await page.getByText("The delivery was not sent again. The store does not answer.").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await dialog.getByText(REQUEST_ID).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await page.getByText("Active", { exact: true }).count()).toBe(1);
});

it("what is typed survives a reload, but no URL is stored", async () => {
  const { page } = await open(user, { path: `${ADDRESS}/new?type=slack` });
  await page.getByLabel("Name").fill("Alerts in Slack");
  await page.getByLabel("Low", { exact: true }).uncheck();
  await page.getByLabel("Webhook URL").fill("https://hooks.slack.com/services/T0/B0/very-secret");
  const stored = "JSON.stringify([{ ...sessionStorage }, { ...localStorage }])";
  expect(await page.evaluate(stored)).not.toContain("very-secret");
  await page.reload();
  await page.getByRole("radio", { name: /^Slack/, checked: true }).waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("Alerts in Slack");
  expect(await page.getByLabel("Low", { exact: true }).isChecked()).toBe(false);
  expect(await page.getByLabel("Webhook URL").inputValue()).toBe("");
});

it("a change made concurrently is not overwritten without asking", async () => {
  const { page } = await open(user);
  await answerInAllStates(page);
  await goTo(page, `${ADDRESS}/active?change=open`);
  await page.getByLabel("Name").fill("Mine");
  const now = Date.now();
  const theirs = destinationsInAllStates(now).map((one) =>
    one.id === "active" ? { ...one, name: "Theirs", changedAt: now } : one,
  );
  await page.route(/\/provider\/notifications$/, (route) => route.fulfill({ json: theirs }));
  const bodies: unknown[] = [];
  await page.route(/\/notifications\/active$/, (route) => {
    bodies.push(route.request().postDataJSON());
    return route.fulfill({ json: { ...theirs[0], name: "Mine" } });
  });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Somebody else has changed this destination").waitFor();
  expect(bodies).toEqual([]);
  await page.getByRole("button", { name: "Keep my version" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The changes are saved.").waitFor();
  expect(bodies).toMatchObject([{ name: "Mine" }]);
});
