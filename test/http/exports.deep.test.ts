import { afterAll, expect, it } from "@jest/globals";
import type { Export } from "../../shared/exports/export.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { startService } from "../support/service.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

// Links that are changed are denied, which useService would report.
const service = await startService();
afterAll(service.stop);

const statusOf = async (url: string, options?: RequestInit): Promise<number> => (await fetch(url, options)).status;

it("links to files for 15 minutes and for reading only, and deletes the files after 7 days", async () => {
  const ours = organizationOf(service, "acme");
  const start = async () => ((await ours.call("POST", "security/exports", { format: "ndjson" })).body as Export).id;
  const [id, other] = [await start(), await start()];
  const read = async () => (await ours.call("GET", `security/exports/${id}`)).body as Export;
  await eventually("the export is completed", async () => (await read()).status === "completed");
  const url = (await read()).files[0]?.url ?? "";
  expect(await statusOf(url)).toBe(200);
  for (const method of ["PUT", "DELETE"]) expect([400, 403]).toContain(await statusOf(url, { method }));
  expect(await statusOf(url.replace("events.ndjson?", "events.csv?"))).toBe(403);
  await eventually("the other export is completed", async () => {
    const { body } = await ours.call("GET", `security/exports/${other}`);
    return (body as Export).status === "completed";
  });
  expect(await statusOf(url.replace(id, other))).toBe(403);
  expect(await statusOf(url)).toBe(200);

  await service.advance(14 * MINUTE);
  expect(await statusOf(url)).toBe(200);
  await service.advance(2 * MINUTE);
  expect(await statusOf(url)).toBe(403);
  const later = (await read()).files[0]?.url ?? "";
  expect(await statusOf(later)).toBe(200);

  await service.advance(7 * DAY, "last");
  expect(await read()).toMatchObject({ status: "deleted", files: [{ name: "events.ndjson" }] });
  expect(JSON.stringify(await read())).not.toContain('"url"');
  await service.advance(60 * MINUTE);
  await eventually("the worker has deleted the files", async () => {
    const ended = service.logged().match(/run-export.*"isEnded":true/g) ?? [];
    return ended.length === 4;
  });
});
