/** Compares the records that a full run stored, read from the engine, with the provider's account. */
import { isDeepStrictEqual } from "node:util";
import { DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { createStripeAdapter } from "../../shared/provider/stripe/adapter.ts";
import { recordTypes } from "../../shared/records/record.ts";
import { parseSortKey, type RecordKey } from "../../shared/records/record-item.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import type { Run } from "./integration.ts";
import type { ServiceUnderTest } from "./service.ts";

type Fields = Record<string, unknown>;
type Stored = RecordKey & { fields: Fields };

type Synced = {
  service: Pick<ServiceUnderTest, "stack">;
  organizationId: string;
  account: { apiKey: string };
  run: Run;
  /** The account's number of objects of all types. */
  objects: number;
};

const Item = z.object({ key: z.string(), fields: z.record(z.string(), z.unknown()).optional() });

/** All records under a key of the table or an index, without deleted ones. */
const readAll = async ({ stack }: Synced["service"], name: string, value: string, IndexName?: string) => {
  const client = engineClient(stack.dynamodbUrl);
  const query = {
    TableName: stack.tables.find((table) => table.includes("TablesRecords")),
    IndexName,
    KeyConditionExpression: "#name = :value",
    ExpressionAttributeNames: { "#name": name },
    ExpressionAttributeValues: { ":value": value },
  };
  const records: Stored[] = [];
  for await (const { Items = [] } of paginateQuery({ client: DynamoDBDocumentClient.from(client) }, query)) {
    for (const item of Items) {
      const { key, fields } = Item.parse(item);
      // The feed also has objects that were deleted earlier.
      if (fields !== undefined) records.push({ ...parseSortKey(key), fields });
    }
  }
  client.destroy();
  return records;
};

/** Lists differences between the run's report, the table and its index. Each must have each object once. */
const countFaults = async ({ service, organizationId, run, objects }: Synced, stored: readonly Stored[]) => {
  const faults = stored.length === objects ? [] : [`${stored.length} of ${objects} objects are stored`];
  for (const type of recordTypes) {
    const report = run.completeness?.[type];
    const isWhole = report?.listed === report?.stored && report?.onlyListed.length === 0;
    if (!isWhole || report?.onlyStored.length !== 0) faults.push(`${type} are reported as ${JSON.stringify(report)}`);
    const ids = new Set(stored.filter((record) => record.type === type).map(({ id }) => id));
    if (ids.size !== report?.listed) faults.push(`${ids.size} ${type} are stored`);
    const listed = await readAll(service, "listKey", `${organizationKey(organizationId)}#${type}`, "byCreated");
    const isSame = listed.length === ids.size && listed.every(({ id }) => ids.delete(id));
    if (!isSame) faults.push(`${listed.length} ${type} are in the index`);
  }
  return faults;
};

/** Reads the invoice of each payment. The provider has it in another list. */
const withoutInvoice = ({ invoiceId: _, ...fields }: Fields): Fields => fields;

const sampleFaults = async ({ service, account }: Synced, records: readonly Stored[]): Promise<string[]> => {
  const adapter = createStripeAdapter({ url: service.stack.providerUrl, clock: systemClock });
  const provider = adapter.at({ secret: account.apiKey, signal: AbortSignal.timeout(60_000) });
  const faults: string[] = [];
  for (const { type, id, fields } of records) {
    const object = await provider.readObject(type, id);
    const [ours, theirs] = [fields, object.kind === "state" ? object.fields : {}];
    const isSame =
      type === "payments"
        ? isDeepStrictEqual(withoutInvoice(ours), withoutInvoice(theirs))
        : isDeepStrictEqual(ours, { ...theirs });
    if (!isSame) faults.push(`${type} ${id}: ${JSON.stringify(ours)} is stored of ${JSON.stringify(theirs)}`);
  }
  return faults;
};

/**
 * @param options.sample the number of records to compare with the provider's answers; `random` is from 0 to 1
 * @returns the differences in words; empty if there are none
 */
export const findSyncFaults = async (
  synced: Synced,
  { sample, random }: { sample: number; random: () => number },
): Promise<string[]> => {
  const { run, service, organizationId } = synced;
  const stored = await readAll(service, "scope", organizationKey(organizationId));
  const chosen = Array.from({ length: sample }, () => stored[Math.floor(random() * stored.length)]);
  return [
    ...(run.status === "succeeded" ? [] : [`the run has ${run.status}: ${run.error?.message}`]),
    ...(await countFaults(synced, stored)),
    ...(await sampleFaults(
      synced,
      chosen.filter((record) => record !== undefined),
    )),
  ];
};
