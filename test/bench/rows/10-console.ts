/**
 * The console on the local cloud, in the tests' browser: from the address to the first view with its data. The user is signed
 * in at the issuer, so the page signs in without asking; its cache is empty. Browser and service share this machine.
 */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { connectDemo } from "../../../infra/local/connect-demo.ts";
import { startLocalCloud } from "../../../infra/local/local-cloud.ts";
import { prepareAssembly } from "../../../infra/prepare-assembly.ts";
import { startChromium } from "../../support/browser.ts";
import { consoleOrigins, openConsole } from "../../support/console.ts";
import { type Bench, type Budget, budgetText, judge, type Measurement, type Row } from "../row.ts";
import { median } from "../statistics.ts";

const USABLE: Budget = { limit: 1_000 };

export const measurement: Measurement = {
  title: "Console",
  measure: async ({ workDirectory, options }: Bench): Promise<Row[]> => {
    const dataDirectory = mkdtempSync(join(workDirectory, "console-"));
    const cloud = await startLocalCloud({
      assemblyDirectory: await prepareAssembly(join(workDirectory, "console-assembly")),
      dataDirectory,
      port: 0,
      log: () => undefined,
    });
    try {
      await connectDemo(cloud);
      const browser = await startChromium(consoleOrigins(cloud));
      try {
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
        const measured = Math.round(median(durations));
        return [
          {
            metric: `first view usable, cache empty, signed in at the issuer: median of ${rounds}`,
            budget: budgetText(USABLE, "ms"),
            measured: `${measured} ms`,
            verdict: judge(measured, USABLE),
          },
        ];
      } finally {
        await browser.stop();
      }
    } finally {
      await cloud.stop();
    }
  },
};
