/** The sealed log in the local cloud: hours are sealed, shown, exported with proof, checked offline, and erased. */
import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "@jest/globals";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import type { Integrity } from "../../shared/sealing/integrity.ts";
import { HOUR_MS, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { controlOf } from "../support/control.ts";
import { organizationOf } from "../support/integration.ts";
import { completedErasure, proofsOf, verify } from "../support/proofs.ts";
import { useService } from "../support/use-service.ts";

const service = await useService();
const { now } = controlOf(service);
const ours = organizationOf(service, "acme/ü");
const proofs = proofsOf(ours);
/** Of an hour. */
const startProof = (hour: number) => proofs.start({ since: hour, until: hour + HOUR_MS });

/** Until the hours before this one are closed and sealed. Each schedule fires once on the way. */
const passHour = async (): Promise<void> => {
  await service.advance(HOUR_MS - ((await now()) % HOUR_MS) + 50 * 60_000, "last");
};

const integrityOf = async (hour: number, hours = 1): Promise<Integrity> => {
  const { status, body } = await ours.call("GET", `security/integrity?since=${hour}&until=${hour + hours * HOUR_MS}`);
  expect(status).toBe(200);
  return body as Integrity;
};

test("hours are sealed and proved, also after an erasure, and a changed event breaks its hour", async () => {
  // No event is near the end of an hour, and the log begins.
  await passHour();
  const hour = startOfHour(await now()) + HOUR_MS;
  await service.advance(hour - (await now()) + 60_000, "last");
  expect((await ours.call("GET", "security", undefined, { userId: "eve-the-leaver", role: "guest" })).status).toBe(403);
  const alert = { action: "generate_alert", title: "x", riskLevel: "HIGH" };
  expect((await ours.call("POST", "security/alert", alert)).status).toBe(200);
  // No hour is sealed yet.
  const early = { format: "ndjson", proof: true, since: hour };
  expect((await ours.call("POST", "security/exports", early)).status).toBe(400);
  await passHour();

  const events = await ours.events(`since=${hour}&until=${hour + HOUR_MS}`);
  const shown = await integrityOf(hour - HOUR_MS, 2);
  expect(shown).toMatchObject({
    log: "consistent",
    publicKey: expect.stringMatching(/^\S+\.integration-security\+[0-9a-f]{8}\+\S+$/),
    hours: [{ hour: hour - HOUR_MS }, { hour, count: events.length, version: 1, status: "verified" }],
  });
  const size = (shown.hours[1]?.checkpoint ?? 0) + 1;
  const { body } = await ours.call("GET", `security/checkpoints/${size}?from=1`);
  expect(body).toMatchObject({ checkpoint: expect.stringContaining(`\n${size}\n`), consistency: expect.any(Array) });
  for (const [path, status] of [
    ["security/checkpoints/999999", 404],
    ["security/checkpoints/01", 404],
    [`security/checkpoints/${size}?from=${size + 1}`, 400],
    [`security/checkpoints/${size}?from=0`, 400],
    ["security/integrity?since=1", 400],
    [`security/integrity?since=${hour}&until=${hour}`, 400],
    [`security/integrity?since=${hour}&until=${hour + 32 * 24 * HOUR_MS}`, 400],
  ] as const)
    expect([path, (await ours.call("GET", path)).status]).toEqual([path, status]);
  for (const other of [{ format: "csv" }, { userId: "ada" }, { since: hour + 1 }, { until: hour + 99 * HOUR_MS }]) {
    const wanted = { format: "ndjson", proof: true, since: hour, until: hour + HOUR_MS, ...other };
    expect([other, (await ours.call("POST", "security/exports", wanted)).status]).toEqual([other, 400]);
  }
  const strangers = organizationOf(service, "strangers");
  const theirs = await strangers.call("GET", `security/integrity?since=${hour}&until=${hour + HOUR_MS}`);
  expect(theirs.body).toMatchObject({ hours: [{ count: 0, version: 0, status: "verified" }] });

  const before = await proofs.download(await startProof(hour));
  expect(await verify(before)).toMatch(new RegExp(`^verified: .*${events.length} events; 0 erased`));

  const id = await completedErasure(ours, "eve-the-leaver");
  const waiting = await startProof(hour);
  await passHour();
  expect(await verify(before)).toMatch(/^verified: /);
  const after = await proofs.download(waiting);
  expect(await verify(after)).toMatch(new RegExp(`^verified: .*1 erased by ${id}`));
  expect((await integrityOf(hour)).hours).toMatchObject([
    { version: 2, status: "verified", erased: [{ erasure: id, count: 1 }] },
  ]);

  const changed = events.find(({ userId }) => userId === "ada");
  const TableName = service.stack.tables.find((name) => name.includes("TablesSecurityEvents"));
  await DynamoDBDocumentClient.from(engineClient(service.stack.dynamodbUrl)).send(
    new UpdateCommand({
      TableName,
      Key: { scope: organizationKey(ours.organizationId), id: changed?.id },
      UpdateExpression: "SET #action = :action",
      ExpressionAttributeNames: { "#action": "action" },
      ExpressionAttributeValues: { ":action": "nothing" },
    }),
  );
  expect(await integrityOf(hour)).toMatchObject({
    log: "consistent",
    hours: [{ status: "broken", problem: expect.stringContaining("not those that version 1 sealed") }],
  });
  expect(await proofs.ended(await startProof(hour))).toMatchObject({ status: "failed", error: { code: "broken" } });
});
