/**
 * The console on the local cloud, in the tests' browser: from the address to the first view with its data. The user is signed
 * in at the issuer, so the page signs in without asking; its cache is empty. Browser and service share this machine.
 */
import { connectDemo } from "../../../infra/local/start/connect-demo.ts";
import { openConsole } from "../../support/console.ts";
import { withConsole } from "../bench-cloud.ts";
import { type Budget, judgedRow, type Measurement } from "../row.ts";
import { median } from "../statistics.ts";

const USABLE: Budget = { limit: 1_000 };

export const measurement: Measurement = {
  title: "Console",
  measure: ({ workDirectory, options }) =>
    withConsole(workDirectory, async ({ cloud, browser }) => {
      await connectDemo(cloud);
      const { page } = await openConsole(browser, { organizationId: "demo" });
      const session = await page.context().newCDPSession(page);
      const firstCard = page.getByRole("main").getByRole("heading", { level: 2 }).first();
      const load = async (): Promise<number> => {
        await page.goto("about:blank");
        await session.send("Network.clearBrowserCache");
        const startedAt = performance.now();
        await page.goto("/console");
        await firstCard.waitFor();
        return performance.now() - startedAt;
      };
      // The functions start.
      await load();
      const rounds = options.quick ? 5 : 20;
      const durations: number[] = [];
      for (let i = 0; i < rounds; i++) durations.push(await load());
      const metric = `first view usable, cache empty, signed in at the issuer: median of ${rounds}`;
      return [judgedRow(metric, Math.round(median(durations)), USABLE, { unit: "ms" })];
    }),
};
