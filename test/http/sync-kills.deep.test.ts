/** A small version of `npm run test:sync`: the worker of a full run has little time and is killed on the way. */

import { expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { countLogged, killUntilEnd, randomMoments } from "../support/killed-sync.ts";
import { createRandom } from "../support/random.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { findSyncFaults } from "../support/sync-proof.ts";
import { useAlteredAssemblies, useService } from "../support/use-service.ts";

const OBJECTS = 500;
/** About 200 charges: more refunds and disputes than objects of the other types. */
const CLAIMS = { refundsPerCharge: 3, disputesPerCharge: 1 };
/** Not more than Lambda's retries: another kill could cost an hour of the clock. */
const KILLS = 2;
/** A worker starts nothing new in the last 15 of them. */
const TIME_LIMIT_SECONDS = 20;
const SEED = 7;

const assemblies = useAlteredAssemblies();
const service = await useService({ assembly: assemblies.withTimeLimit("RunSync", TIME_LIMIT_SECONDS) });

it(`a full run whose worker is killed completes with every record of every type once (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const provider = simulatedProvider(service);
  const account = await provider.account(OBJECTS, { seed: String(SEED), claims: CLAIMS });
  const { refund = 0, dispute = 0, ...others } = await provider.recorded(account.accountId);
  const objects = Object.values(others).reduce((sum, count) => sum + count, refund + dispute);
  expect(refund + dispute).toBeGreaterThan(OBJECTS);
  const organization = organizationOf(service, "acme");
  await organization.connect(account.apiKey);
  // The new types are read last: the second kill is among them.
  const moments = randomMoments(KILLS, objects, random);
  const { run } = await killUntilEnd({ service, organization, moments, random });
  // At least one kill hit a working instance. Whether the last one did depends on the machine.
  expect(countLogged(service, "Invoke Error Runtime.ExitError")).toBeGreaterThanOrEqual(1);
  expect(run).toMatchObject({ mode: "full", trigger: "connection" });
  const { organizationId } = organization;
  const synced = { service, organizationId, account, run, objects };
  await expect(findSyncFaults(synced, { sample: 50, random })).resolves.toEqual([]);
});
