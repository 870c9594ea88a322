/** A small version of `npm run test:sync`: the worker of a full run has little time and is killed on the way. */

import { expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { countLogged, killUntilEnd, randomMoments } from "../support/killed-sync.ts";
import { createRandom } from "../support/random.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { findSyncFaults } from "../support/sync-proof.ts";
import { useAlteredAssemblies, useService } from "../support/use-service.ts";

const OBJECTS = 1_000;
/** Not more than Lambda's retries: another kill could cost an hour of the clock. */
const KILLS = 2;
/** A worker starts nothing new in the last 15 of them. */
const TIME_LIMIT_SECONDS = 20;
const SEED = 7;

const assemblies = useAlteredAssemblies();
const service = await useService({ assembly: assemblies.withTimeLimit("RunSync", TIME_LIMIT_SECONDS) });

it(`a full run of ${OBJECTS} objects whose worker is killed completes with every record once (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const account = await simulatedProvider(service).account(OBJECTS, { seed: String(SEED) });
  const organization = organizationOf(service, "acme");
  await organization.connect(account.apiKey);
  const moments = randomMoments(KILLS, OBJECTS, random);
  const { run } = await killUntilEnd({ service, organization, moments, random });
  // At least one kill hit a working instance. Whether the last one did depends on the machine.
  expect(countLogged(service, "Invoke Error Runtime.ExitError")).toBeGreaterThanOrEqual(1);
  expect(run).toMatchObject({ mode: "full", trigger: "connection" });
  const { organizationId } = organization;
  const synced = { service, organizationId, account, run, objects: OBJECTS };
  await expect(findSyncFaults(synced, { sample: 50, random })).resolves.toEqual([]);
});
