/** Which functions of packages the plant endpoints call until their first request is answered. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { sourceMapPath } from "../../infra/bundling/bundle-directory.ts";
import { type CalledFunctions, packageFunctions } from "../../infra/bundling/compile-early.ts";
import { functionOf, functionsByRoute, mainFile, readDeployedStack } from "./deployed-function.ts";
import { startHttpsMocks } from "./mocks/https-mocks.ts";
import { benchEnvironment, claims, plantRequest, plantRoutes } from "./plant-requests.ts";
import { runSuccessfully } from "./run-instance.ts";

/** V8's coverage of a process: https://chromedevtools.github.io/devtools-protocol/tot/Profiler#type-ScriptCoverage */
const Coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({ ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })).min(1) }),
      ),
    }),
  ),
});

/** The offsets of the called functions of a bundle. */
const calledOffsets = (directory: string, bundle: string): Set<number> => {
  const scripts = globSync(join(directory, "*.json")).flatMap(
    (file) => Coverage.parse(JSON.parse(readFileSync(file, "utf8"))).result,
  );
  const functions = scripts.filter(({ url }) => url.endsWith(bundle)).flatMap((script) => script.functions);
  const called = functions.flatMap(({ ranges: [whole] }) => (whole && whole.count > 0 ? whole.startOffset : []));
  return new Set(called);
};

/** Starts each endpoint once and sends it one request. @param workDirectory empty; for files of the measurement */
export const readCalledAtStart = async (bench: {
  assemblyDirectory: string;
  workDirectory: string;
}): Promise<CalledFunctions> => {
  const mocks = await startHttpsMocks();
  const called = new Set<string>();
  try {
    const functions = functionsByRoute(await readDeployedStack(bench));
    for (const route of plantRoutes) {
      const fn = functionOf(functions, route);
      const coverage = join(bench.workDirectory, route.replaceAll(/\W/g, "-"));
      const environment = {
        ...benchEnvironment(fn, { issuer: mocks.issuer, endpoint: mocks.store }),
        NODE_EXTRA_CA_CERTS: mocks.certificateFile,
        NODE_V8_COVERAGE: coverage,
      };
      const events = [plantRequest(route, { token: await mocks.sign(claims) })];
      await runSuccessfully({ file: mainFile(fn), environment, events });
      const code = readFileSync(join(fn.codeDirectory, "bundle.cjs"));
      const map = readFileSync(sourceMapPath(code), "utf8");
      const offsets = calledOffsets(coverage, "/bundle.cjs");
      for (const [name, { start }] of packageFunctions({ code: code.toString(), map }))
        if (offsets.has(start)) called.add(name);
    }
  } finally {
    await mocks.stop();
  }
  const names = [...called].map((name) => name.split(" ") as [string, string]);
  const byFile = Map.groupBy(names, ([file]) => file);
  const sorted = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([file, ofFile]) => [file, ofFile.map(([, position]) => position).sort()]));
};
