/**
 * `npm run test:sync`: the whole service syncs an account of 100,000 objects in a local cloud. The sync worker has a
 * time-out of 60 seconds and is killed at random moments. At the end every object must be stored once, equal to the
 * provider's object. Exits with 1 if a check fails.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../infra/build.ts";
import { synthesise } from "../../infra/synth.ts";
import { createAlteredAssemblies } from "../support/altered-assembly.ts";
import { eventually, organizationOf, type Run } from "../support/integration.ts";
import { countLogged, killUntilEnd, randomMoments } from "../support/killed-sync.ts";
import { createRandom } from "../support/random.ts";
import { startService } from "../support/service.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { findSyncFaults } from "../support/sync-proof.ts";
import { startMeteredEngine } from "./metered-engine.ts";
import { type Options, readOptions } from "./options.ts";

const TIME_LIMIT_SECONDS = 60;
const SAMPLE = 300;
const REPORT_EVERY_MS = 15_000;

const say = (line: string) => process.stderr.write(`${line}\n`);
const print = (what: string, figure: string | number) => process.stdout.write(`${what.padEnd(28)} ${figure}\n`);

const readOf = ({ progress }: Run) => Object.values(progress).reduce((sum, { read }) => sum + read, 0);

const createReporter = () => {
  const startedAt = performance.now();
  let saidAt = startedAt;
  return (run: Run, killed: number): void => {
    const now = performance.now();
    if (now - saidAt < REPORT_EVERY_MS) return;
    saidAt = now;
    say(`${((now - startedAt) / 1_000).toFixed(0)} s: ${readOf(run)} read, ${killed} killed`);
  };
};

const prove = async ({ objects: counted, kills, seed, claims }: Options, assembly: string): Promise<string[]> => {
  const random = createRandom(seed);
  const engine = await startMeteredEngine();
  const service = await startService({ assembly, dynamodbEndpoint: engine.endpoint });
  try {
    const provider = simulatedProvider(service);
    say(`Making an account of ${counted} objects …`);
    const account = await provider.account(counted, { seed: String(seed), claims });
    const ofTypes = await provider.recorded(account.accountId);
    const objects = Object.values(ofTypes).reduce((sum, count) => sum + count, 0);
    const organization = organizationOf(service, "acme");
    say(`Syncing it, with ${kills} kills (seed ${seed}) …`);
    const startedAt = performance.now();
    await organization.connect(account.apiKey);
    const onProgress = createReporter();
    // The last kill happens after all lists were read.
    const moments = kills === 0 ? [] : [...randomMoments(kills - 1, objects, random), objects];
    // On a busy machine the store may answer too late: 503, try again.
    const runs = () => eventually("the runs are read", () => organization.runs().catch(() => undefined));
    const killing = { service, organization: { runs }, moments, random, onProgress };
    const { run: newest, killed, hours } = await killUntilEnd(killing);
    // After four hours of waiting, a scheduled run is newer than the one under test.
    const run = (await organization.runs()).find(({ mode }) => mode === "full") ?? newest;
    const seconds = (performance.now() - startedAt) / 1_000;

    const requests = Object.values(await provider.requests(account.accountId)).reduce((sum, count) => sum + count, 0);
    const perRecord = (units: number) => (units / objects).toFixed(2);
    print("objects", `${objects} ${JSON.stringify(ofTypes)}`);
    print("seconds", seconds.toFixed(0));
    print("objects per second", (objects / seconds).toFixed(0));
    print("requests to the provider", requests);
    print("handovers", countLogged(service, '"isHandedOver":true'));
    print("kills", killed);
    print("of them in the middle", countLogged(service, "Invoke Error Runtime.ExitError"));
    print("deliveries given up", countLogged(service, "LOST an event"));
    print("hours until resumed", hours);
    print("write units per record", perRecord(engine.units().write));
    print("read units per record", perRecord(engine.units("TablesRecords").read));
    const synced = { service, organizationId: organization.organizationId, account, run, objects };
    return await findSyncFaults(synced, { sample: SAMPLE, random });
  } finally {
    await service.stop();
    await engine.stop();
  }
};

const options = readOptions(process.argv.slice(2));
if (options !== undefined) {
  const workDirectory = mkdtempSync(join(tmpdir(), "sync-"));
  try {
    say("Building and synthesising …");
    await build();
    const altered = createAlteredAssemblies(await synthesise(join(workDirectory, "assembly")));
    try {
      const faults = await prove(options, altered.withTimeLimit("RunSync", TIME_LIMIT_SECONDS));
      for (const fault of faults) print("WRONG", fault);
      if (faults.length === 0) print("every record", `stored once, ${SAMPLE} compared with the provider's`);
      else process.exitCode = 1;
    } finally {
      altered.remove();
    }
  } finally {
    rmSync(workDirectory, { recursive: true });
  }
}
