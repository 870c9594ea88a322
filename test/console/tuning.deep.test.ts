/** The brute force of the demo is tuned away by a known address: the preview shows it before, the hour after it proves it. */
import { expect, it } from "@jest/globals";
import type { Alert } from "../../.build/console/openapi.d.ts";
import { connectDemo } from "../../infra/local/start/connect-demo.ts";
import { actDemoIncident } from "../../infra/local/start/demo-incident.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useOwnConsole } from "../support/share-console.ts";

const HOUR = 3_600_000;
/** From there, the demo's old tokens are tried. */
const TRYING = "127.0.0.66";

const { service, open } = await useOwnConsole();

it("a known address tunes the brute force of the demo away, as the preview says", async () => {
  const organizationId = await connectDemo(service);
  if (organizationId === undefined) throw new Error("There is no demo organization.");
  const ours = organizationOf(service, organizationId);
  const found = async () => {
    const { body } = await ours.call("GET", "security/alert");
    return (body as Alert[]).filter(({ rule }) => rule === "repeated_auth_failures");
  };
  // Until the hour of the incident is judged.
  await service.advance(2.2 * HOUR);
  const [before] = await eventually("the brute force is found", async () => {
    const alerts = await found();
    return alerts.length > 0 && alerts;
  });

  const { page, complaints } = await open(ours, { path: "/console/rules/repeated_auth_failures" });
  await page.getByLabel("Known networks, one in each line").fill(`${TRYING}/32`);
  await page.getByRole("button", { name: "Show what this would have done" }).click();
  const gone = page.getByRole("table", { name: "No longer found" });
  await gone.getByText(`Address ${TRYING}`).or(gone.getByText("User bob")).first().waitFor();
  await page.getByText(/^It would have made 0 instead of \d+ findings/).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("the settings are saved.").waitFor();

  await page.goto("about:blank");
  await actDemoIncident(service.stack, organizationId);
  await service.advance(2.2 * HOUR);
  // The refusals are recorded as before, and the rule does not see them.
  const refusals = await ours.events(
    `eventType=AUTHENTICATION_FAILURE&ipAddress=${TRYING}&since=${Date.now() + 2 * HOUR}`,
  );
  expect(refusals.length).toBeGreaterThan(0);
  expect(await found()).toMatchObject([{ id: before?.id, count: before?.count, lastSeen: before?.lastSeen }]);
  expect(complaints).toEqual([]);
}, 240_000);
