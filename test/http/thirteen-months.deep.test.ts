/**
 * Thirteen months of the sealed log and the archive, in one run of the local cloud: proofs of a month that the tables have
 * lost, a user's erasure in month 12 with late events after it, and the end of the oldest object.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { afterAll, expect, test } from "@jest/globals";
import { archiveKey, endOfArchive } from "../../shared/archive/archive-hour.ts";
import type { Export } from "../../shared/exports/export.ts";
import type { Integrity } from "../../shared/sealing/integrity.ts";
import { DAY_MS, HOUR_MS, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import type { ChooseFault } from "../faults/fault-plan.ts";
import { startFaultProxy } from "../faults/fault-proxy.ts";
import { controlOf } from "../support/control.ts";
import { startEmbeddedDynamoDb } from "../support/embedded-dynamodb.ts";
import { engineClient } from "../support/everything.ts";
import { organizationOf } from "../support/integration.ts";
import { completedErasure, proofsOf, verify } from "../support/proofs.ts";
import { bucketsOf, storedObjects } from "../support/stored-objects.ts";
import { newDirectory } from "../support/temporary-directory.ts";
import { useService } from "../support/use-service.ts";

const MONTHS = 13;
const MONTH_MS = 30 * DAY_MS;
const ERASED = "eve-the-leaver";

const engine = await startEmbeddedDynamoDb();
const proxy = await startFaultProxy(engine.endpoint);
const service = await useService({ dynamodbEndpoint: proxy.url });
afterAll(async () => {
  await proxy.close();
  await engine.stop();
});
const control = controlOf(service);
const { now } = control;
const ours = organizationOf(service, "acme/ü");
const proofs = proofsOf(ours);

/** The events of this agent cannot be stored, until the store is well again. */
const LATE = { "user-agent": "recorded-late" };
const refuseLate: ChooseFault = ({ operation, resource, json }) =>
  operation === "PutItem" && resource.includes("SecurityEvents") && JSON.stringify(json).includes(LATE["user-agent"])
    ? "500"
    : undefined;

const advanceTo = async (time: number): Promise<void> => {
  // Forgets the requests of the time before.
  proxy.use(refuseLate);
  await service.advance(time - (await now()), "last");
};

/** Until the hours before this one are closed, sealed and in the archive, by the runs of an hour. */
const passHour = async (): Promise<void> => {
  await service.advance(HOUR_MS - ((await now()) % HOUR_MS) + 50 * 60_000);
};

const succeed = async (...request: Parameters<typeof ours.call>): Promise<unknown> => {
  const { status, text, body } = await ours.call(...request);
  if (status >= 300) throw new Error(`${request.slice(0, 2).join(" ")} answered ${status}: ${text}`);
  return body;
};

const integrityOf = async (hour: number): Promise<Integrity> =>
  (await succeed("GET", `security/integrity?since=${hour}&until=${hour + HOUR_MS}`)) as Integrity;

/** What the erased user does, and what others do about that user. */
const beActive = async (action: "force_open" | "force_close"): Promise<void> => {
  const { status } = await ours.call("GET", "security", undefined, { userId: ERASED, role: "guest" });
  expect(status).toBe(403);
  const alert = { action: "generate_alert", title: `Ask ${ERASED}`, riskLevel: "HIGH" };
  await succeed("POST", "security/alert", alert, {}, { "idempotency-key": `alert-before-${action}` });
  await succeed("POST", "circuit-breaker", { action, reason: `${ERASED} asked for it` });
};

const textIn = (key: string, body: Buffer): string => (key.endsWith(".gz") ? gunzipSync(body) : body).toString();

/** Where the user's id stands in tables, buckets and queues. */
const traces = async (): Promise<string[]> => {
  const found: string[] = [];
  const client = engineClient(service);
  for (const TableName of service.stack.tables)
    for await (const { Items = [] } of paginateScan({ client: DynamoDBDocumentClient.from(client) }, { TableName })) {
      const bytesAsText = (_: string, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
      for (const item of Items)
        if (JSON.stringify(item, bytesAsText).includes(ERASED)) found.push(`table ${TableName}`);
    }
  client.destroy();
  for (const bucket of await bucketsOf(service))
    for (const [key, body] of await storedObjects(service, bucket.toLowerCase(), ""))
      if (textIn(key, body).includes(ERASED)) found.push(`bucket ${bucket}`);
  for (const { name } of await control.queues()) {
    const queue = await control.queue(new RegExp(`^${name}$`));
    if (JSON.stringify(queue).includes(ERASED)) found.push(`queue ${name}`);
  }
  return [...new Set(found)];
};

/** What the API answers about everything that the user has touched. */
const answers = async (): Promise<string> => {
  const lists = ["security?limit=1000", "security/alert", "security/exports", "erasure", "circuit-breaker", "reports"];
  const texts = lists.concat(`search?q=${encodeURIComponent(ERASED)}`).map(async (path) => {
    const { status, text } = await ours.call("GET", path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
    return text;
  });
  return (await Promise.all(texts)).join();
};

const archiveKeys = async (): Promise<string[]> => [...(await storedObjects(service, "archive", "")).keys()];
const keyOf = (hour: number): string => archiveKey(organizationKey(ours.organizationId), hour);

const textOf = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join();

test("thirteen months: proofs hold before and after an erasure, which leaves no trace, and the oldest object ends", async () => {
  // No event is near the end of an hour, and the log begins.
  await passHour();
  await passHour();
  const start = startOfHour(await now()) + HOUR_MS;
  /** The hour of a month, from 1, in which things happen. */
  const hourOf = (month: number): number => start + (month - 1) * MONTH_MS;
  for (let month = 1; month <= 12; month++) {
    await advanceTo(hourOf(month) + 60_000);
    await ours.call("GET", "security", undefined, { userId: "bob", role: "guest" });
    if (month === 2) await beActive("force_open");
    if (month === 12) {
      await beActive("force_close");
      for (const userId of [ERASED, "bob"])
        await ours.call("GET", "security", undefined, { userId, role: "guest" }, LATE);
    }
  }
  // The events that could not be stored become dead letters, which outlive the erasure. Until then their hour is open.
  await advanceTo((await now()) + 12 * HOUR_MS);
  await passHour();
  const [second, twelfth] = [hourOf(2), hourOf(12)];
  expect(await integrityOf(twelfth)).toMatchObject({ log: "consistent", hours: [{ version: 1, status: "verified" }] });
  const [shown] = (await integrityOf(second)).hours;
  expect(shown).toMatchObject({ version: 1, status: "verified" });
  const { checkpoint } = (await succeed("GET", `security/checkpoints/${(shown?.checkpoint ?? 0) + 1}`)) as {
    checkpoint: string;
  };
  const witnessed = join(newDirectory("witness-"), "checkpoints.txt");
  writeFileSync(witnessed, checkpoint);

  const spans = [
    { since: second, until: second + MONTH_MS },
    { since: twelfth, until: twelfth + HOUR_MS },
  ];
  const makeProofs = async (): Promise<{ folder: string; exported: Export }[]> => {
    const made: { folder: string; exported: Export }[] = [];
    for (const span of spans) {
      const id = await proofs.start(span);
      made.push({ folder: await proofs.download(id), exported: await proofs.ended(id) });
    }
    return made;
  };
  const before = await makeProofs();
  for (const { folder } of before) {
    expect(await verify(folder, "--witnessed", witnessed)).toMatch(/^verified: .*; 0 erased/);
    expect(textOf(folder)).toContain(ERASED);
  }
  const mentions = (await ours.events(`since=${twelfth}&until=${twelfth + HOUR_MS}`)).filter((event) =>
    JSON.stringify(event).includes(ERASED),
  );
  expect(mentions.map(({ userId }) => userId)).toEqual(expect.arrayContaining(["ada", ERASED]));
  const deadLetters = await control.queue(/UnrecordedDeadLetters/);
  expect(deadLetters.depth).toEqual({ visible: 2, inFlight: 0 });
  const found = await traces();
  for (const name of ["SecurityEvents", "archive", "exports"])
    expect(found).toContainEqual(expect.stringMatching(new RegExp(name, "i")));

  const erasure = await completedErasure(ours, ERASED);
  await passHour();
  expect((await integrityOf(twelfth)).hours).toMatchObject([{ version: 2, status: "verified" }]);
  proxy.use(undefined);
  expect(await control.redrive(deadLetters.name)).toMatchObject({ moved: 2 });
  await passHour();
  await passHour();
  expect((await integrityOf(twelfth)).hours).toMatchObject([
    { version: 3, status: "verified", erased: [{ erasure, count: mentions.length }] },
  ]);

  expect(await traces()).toEqual([]);
  expect(await answers()).not.toContain(ERASED);
  const after = await makeProofs();
  for (const { folder } of [...before, ...after])
    expect(await verify(folder, "--witnessed", witnessed)).toMatch(/^verified: /);
  for (const [index, { folder }] of after.entries()) {
    expect(textOf(folder)).not.toContain(ERASED);
    expect(await verify(folder)).toMatch(new RegExp(`^verified: .* erased by ${erasure}`));
    const lateOnes = index === 1 ? 2 : 0;
    const [old, renewed] = [before[index]?.exported, after[index]?.exported];
    expect(renewed?.files[0]?.count).toBe((old?.files[0]?.count ?? 0) + lateOnes);
  }
  expect(await traces()).toEqual([]);

  const oldest = hourOf(1);
  const end = endOfArchive(oldest, MONTHS);
  // The clock also moves by itself.
  await advanceTo(end - 20 * 60_000);
  expect(await archiveKeys()).toContain(keyOf(oldest));
  await service.advance(HOUR_MS + 20 * 60_000);
  expect(await archiveKeys()).not.toContain(keyOf(oldest));
  expect(await archiveKeys()).toContain(keyOf(second));
  expect((await integrityOf(oldest)).hours).toMatchObject([{ version: 1, status: "expired" }]);
  expect((await integrityOf(second)).hours).toMatchObject([{ version: 2, status: "verified" }]);
}, 1_800_000);
