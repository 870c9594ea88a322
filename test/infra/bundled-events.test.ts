import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "@jest/globals";
import { build } from "../../infra/build.ts";
import { type BusEventName, busEvents, RECORDERS } from "../../shared/api/bus-events.ts";
// Waits until the functions are built.
import "../support/assembly.ts";

const functionsDirectory = join(import.meta.dirname, "..", "..", ".build", "functions");

/** Publishes no event, but its document has a schema with the name of an event. */
const DOCUMENT = "get-open-api-document";

it.each(Object.entries(busEvents) as [BusEventName, { publishers: readonly string[] }][])(
  "names the functions that publish %s",
  async (event, { publishers }) => {
    await build();
    const bundles = globSync("*/bundle.cjs", { cwd: functionsDirectory });
    const publishing = bundles
      .filter((bundle) => readFileSync(join(functionsDirectory, bundle), "utf8").includes(`"${event}"`))
      .map((bundle) => basename(dirname(bundle)))
      .filter((name) => name !== DOCUMENT);
    const named = publishers.filter((name) => name !== RECORDERS);
    if (named.length === publishers.length) expect(publishing.sort()).toEqual([...named].sort());
    else expect(publishing).toEqual(expect.arrayContaining(named));
  },
);
