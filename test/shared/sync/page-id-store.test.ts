import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "@jest/globals";
import { createTable } from "../../../shared/runtime/table.ts";
import { createPageIdStore, type ListName } from "../../../shared/sync/page-id-store.ts";
import { useEngine } from "../../support/use-table.ts";
import { RUNS } from "./stage.ts";

const engine = useEngine(RUNS);

const list: ListName = { organizationId: "acme", runId: "run_1", type: "customers" };
const DAY_MS = 86_400_000;

it("stores the ids of pages for seven days, and returns them in the order of the pages", async () => {
  const client = engine.documentClient();
  const store = createPageIdStore(createTable(client, RUNS));
  for (const page of [10, 9, 2, 0]) await store.put(list, page, [`a${page}`, `b${page}`], 1_999);
  await store.put(list, 2, ["c2"], 1_999);
  await store.put({ ...list, organizationId: "other" }, 1, ["other"], 0);
  await store.put({ ...list, runId: "run_2" }, 1, ["run_2"], 0);
  await store.put({ ...list, type: "invoices" }, 1, ["in"], 0);
  await store.put({ ...list, type: "payments" }, 1, [], 0);

  const pages: string[][] = [];
  for await (const page of store.readAll(list)) pages.push(page);
  expect(pages.flat()).toEqual(["a0", "b0", "c2", "a9", "b9", "a10", "b10"]);
  await expect(store.read(list, 2)).resolves.toEqual(["c2"]);
  await expect(store.read(list, 3)).resolves.toEqual([]);

  const { Items = [] } = await client.send(new ScanCommand({ TableName: RUNS, ConsistentRead: true }));
  expect(Items).toHaveLength(7);
  const page = Items.find(({ key }) => key === "page#run_1#customers#00000010");
  expect(page).toMatchObject({ ids: "a10\nb10", ttl: (7 * DAY_MS) / 1_000 + 1 });
});
