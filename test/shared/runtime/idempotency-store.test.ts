import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { createIdempotencyStore, type IdempotentRequest } from "../../../shared/runtime/idempotency-store.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

const database = useDatabase("idempotencyKeys");
const proxy = usePerFile(() => startLossyProxy(database.running().endpoint));
const SEALING_KEY = "a key of 32 characters that seals";
const keys = createIdempotencyStore(database.table("idempotencyKeys"), SEALING_KEY);
let scopes = 0;
let scope: string;
beforeEach(() => {
  scope = `org#${++scopes}`;
});

const asked = (request = "sync {}", fields: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  scope,
  userId: "ada",
  operation: "POST /sync",
  idempotencyKey: "key",
  request,
  ...fields,
});
const own = (id: string, at = NOW) => ({ id, at });
const isFirst = (id: string, at = NOW) => ({ identity: { id, at, isKeyed: true, isRepeated: false } });
const isAfter = (id: string, answer?: string) => ({
  identity: { id, at: NOW, isKeyed: true, isRepeated: true },
  answer,
});

describe("an Idempotency-Key", () => {
  it("keeps the identity and the answer of the first attempt for one day", async () => {
    await expect(keys.reserve(asked(), own("first"))).resolves.toEqual(isFirst("first"));
    await expect(keys.reserve(asked(), own("second", NOW + 1))).resolves.toEqual(isAfter("first"));
    await expect(keys.complete(asked(), "first", "done")).resolves.toBe("done");
    await expect(keys.reserve(asked(), own("third", NOW + DAY - 1))).resolves.toEqual(isAfter("first", "done"));
    await expect(keys.reserve(asked(), own("fourth", NOW + DAY))).resolves.toEqual(isFirst("fourth", NOW + DAY));
  });

  it("is refused with another request", async () => {
    await keys.reserve(asked(), own("first"));
    await expect(keys.reserve(asked("sync {full}"), own("second"))).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
  });

  it.each([{ scope: "org#other" }, { userId: "bob" }, { idempotencyKey: "key " }, { operation: "POST /erasure" }])(
    "is separate for %j",
    async (fields) => {
      await keys.reserve(asked(), own("first"));
      const [name] = Object.keys(fields);
      const other = name === "scope" ? { scope: `${scope}0` } : fields;
      await expect(keys.reserve(asked("other", other), own("second"))).resolves.toEqual(isFirst("second"));
    },
  );

  it("is stored without anything that a reader of the table could guess: the digests depend on the service's key", async () => {
    const digests = async (sealingKey: string) => {
      const store = createIdempotencyStore(database.table("idempotencyKeys"), sealingKey);
      const named = asked("{}", { scope: `${scope} ${sealingKey}` });
      await store.reserve(named, own("first"));
      const { Items = [] } = await database.client.send(new ScanCommand({ TableName: "idempotencyKeys" }));
      return Items.filter((item) => item.scope === named.scope).map(({ key, request }) => [key, request]);
    };
    const [one] = await digests(SEALING_KEY);
    const [other] = await digests("another key that seals, of 32 characters");
    expect(one).toEqual([expect.stringMatching(/^POST \/sync#.{43}$/), expect.stringMatching(/^.{43}$/)]);
    for (const [index, digest] of (one ?? []).entries()) expect(digest).not.toBe(other?.[index]);
  });

  it("has one first attempt and one answer for concurrent attempts", async () => {
    const attempts = await Promise.all(Array.from({ length: 8 }, (_, i) => keys.reserve(asked(), own(`id ${i}`))));
    expect(new Set(attempts.map(({ identity }) => identity.id)).size).toBe(1);
    expect(attempts.filter(({ identity }) => !identity.isRepeated)).toHaveLength(1);
    const id = attempts[0]?.identity.id ?? "";
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => keys.complete(asked(), id, `answer ${i}`)));
    expect(new Set(answers).size).toBe(1);
  });

  it("is free again after a release by its owner, and only without an answer", async () => {
    await keys.reserve(asked(), own("first"));
    await keys.release(asked(), "another");
    await expect(keys.reserve(asked(), own("second"))).resolves.toEqual(isAfter("first"));
    await keys.release(asked(), "first");
    await keys.release(asked(), "first");
    await expect(keys.complete(asked(), "first", "done")).resolves.toBeUndefined();
    await expect(keys.reserve(asked(), own("second"))).resolves.toEqual(isFirst("second"));
    await keys.complete(asked(), "second", "done");
    await keys.release(asked(), "second");
    await expect(keys.reserve(asked(), own("third"))).resolves.toEqual(isAfter("second", "done"));
  });

  it("costs a write unit to reserve, one per KB of the answer, and a write unit to repeat", async () => {
    const client = database.newClient();
    const measure = countUnits(client);
    const measured = createIdempotencyStore(database.table("idempotencyKeys", client), SEALING_KEY);
    await expect(measure(() => measured.reserve(asked(), own("first")))).resolves.toEqual({ read: 0, write: 1 });
    await expect(measure(() => measured.complete(asked(), "first", "x".repeat(1_500)))).resolves.toEqual({
      read: 0,
      write: 2,
    });
    await expect(measure(() => measured.reserve(asked(), own("second")))).resolves.toMatchObject({ read: 0 });
  });

  it("counts as new if only the answer to its reservation was lost", async () => {
    const lossy = createIdempotencyStore(database.table("idempotencyKeys", database.clientAt(proxy.url)), SEALING_KEY);
    await expect(lossy.reserve(asked(), own("first"))).resolves.toMatchObject(isFirst("first"));
    await expect(lossy.complete(asked(), "first", "done")).resolves.toBe("done");
    await expect(lossy.release(asked(), "first")).resolves.toBeUndefined();
  });
});
