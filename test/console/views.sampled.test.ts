/** All views with data, each in one theme and one width: what views.deep.test.ts checks in all states, themes and widths. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { goTo, mannersOf, viewAddresses } from "../support/console-views.ts";
import { sampleOf } from "../support/depth.ts";
import { answerByExamples } from "../support/example-answers.ts";
import { shareConsole } from "../support/share-console.ts";

const { open } = await shareConsole();

it("the tests know every view", () => {
  const source = readFileSync(join(import.meta.dirname, "../../functions/console/app/views.ts"), "utf8");
  const paths = [...source.matchAll(/ view\(\s*"([^"]*)"/g)].map(([, path]) => `/console${path}`);
  expect(Object.keys(viewAddresses)).toEqual(paths);
});

it("views are accessible, fit into the screen and have one heading, a title and visible focus", async () => {
  // A view that reads next to nothing: the service itself may answer with a failure on a busy machine.
  const { page, complaints } = await open({ organizationId: "console-views" }, { path: "/console/no-such-view" });
  await answerByExamples(page);
  const found: [string, string[]][] = [];
  for (const [i, address] of sampleOf(Object.values(viewAddresses).flat(), 6).entries()) {
    await page.emulateMedia({ colorScheme: i % 2 === 0 ? "light" : "dark" });
    if (i === 6) await page.setViewportSize({ width: 320, height: 800 });
    await goTo(page, address);
    found.push([address, await mannersOf(page)]);
  }
  expect(found.filter(([, problems]) => problems.length > 0)).toEqual([]);
  expect(complaints).toEqual([]);
});
