/** The request units of a first sync of one type of records, from a provider in memory. */
import { type RecordType, recordFields } from "../../shared/records/record.ts";
import type { EmbeddedDynamoDb } from "./embedded-dynamodb.ts";
import { createFakeProvider } from "./fake-provider.ts";
import { createMeteredSync } from "./metered-sync.ts";

const unexpected = async () => {
  throw new Error("unexpected");
};

/** A new organization, connected to a provider in memory. */
export const createOrganizationInMemory = async (
  engine: Pick<EmbeddedDynamoDb, "documentClient">,
  clock: () => number,
) => {
  const world = createFakeProvider(clock);
  const adapter = {
    at: () => world.provider,
    webhookEndpointsAt: () => ({ list: unexpected, create: unexpected, update: unexpected, remove: unexpected }),
    oauth: { exchange: unexpected },
  };
  return { world, ...(await createMeteredSync(engine, { adapter, clock })) };
};

/** Units of each new record. One that belongs to a customer or a payment is in the list of that, too. */
export const unitsOfType = async (
  engine: Pick<EmbeddedDynamoDb, "documentClient">,
  type: RecordType,
  { count, clock }: { count: number; clock: () => number },
): Promise<{ read: number; write: number }> => {
  const { run, world } = await createOrganizationInMemory(engine, clock);
  const names = Object.keys(recordFields[type].shape);
  const parents = ["customerId", "paymentId"].filter((name) => names.includes(name));
  const fields = Object.fromEntries(parents.map((name) => [name, "parent"]));
  for (let i = 0; i < count; i++) world.create(type, fields, { isSilent: true, createdAt: 1e12 + i * 1_000 });
  const { units, run: ended } = await run();
  const written = ended?.progress[type].written;
  if (written !== count) throw new Error(`${written} of ${count} ${type} are written: ${ended?.error?.message}`);
  return { read: units.read / count, write: units.write / count };
};
