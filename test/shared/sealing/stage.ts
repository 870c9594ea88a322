/** The sealing worker over real tables, with a clock, fixed randomness, an erasure, and calls that can fail. */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { createReadSealedHour, toHourLeaf } from "../../../shared/archive/read-sealed-hour.ts";
import { createPartitions } from "../../../shared/erasure/partition-store.ts";
import { checkpointBody, signedCheckpoint, verifierKeyOf } from "../../../shared/evidence/checkpoint.ts";
import { toProvedEvent } from "../../../shared/exports/proof-sources.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { createTable, deleteItem, type Item, putItem, updateItem } from "../../../shared/runtime/table.ts";
import { deleteItems } from "../../../shared/runtime/table-batches.ts";
import { createDueSealStore } from "../../../shared/sealing/due-seal-store.ts";
import { sealErasedHours } from "../../../shared/sealing/erase.ts";
import { headKeyOf } from "../../../shared/sealing/evidence-item.ts";
import { createEvidenceStore } from "../../../shared/sealing/evidence-store.ts";
import { createSaltStore } from "../../../shared/sealing/salt-store.ts";
import { type SealingDependencies, type SealingRun, sealDueHours } from "../../../shared/sealing/seal-due-hours.ts";
import { eventsOfUser } from "../../../shared/security/erase.ts";
import { eventId } from "../../../shared/security/event-id.ts";
import { createHourEventsStore } from "../../../shared/security/feed/hour-events-store.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { createSecurityEventStore } from "../../../shared/security/security-event-store.ts";
import { DAY_MS, expiryOf, startOfHour } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { createUserMatcher } from "../../../shared/terms/mentions-user.ts";
import { tables } from "../../../shared/terms/tables.ts";
import type { DataLocation } from "../../../shared/work/location.ts";
import { NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const TABLES = ["evidence", "securityEvents", "securityRollups"] as const;
export const ORIGIN = "example.eu-central-1.integration-security";
/** The first hour of the tests. */
export const START = startOfHour(NOW);
export const MINUTE = 60_000;

/** A key of the signer, from 32 fixed bytes (RFC 8410). */
const keyOf = (byte: number) => {
  const seed = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)]);
  const privateKey = createPrivateKey({ key: seed, format: "der", type: "pkcs8" });
  return { privateKey, spki: createPublicKey(privateKey).export({ format: "der", type: "spki" }) };
};

/**
 * What happens at a call: it fails before it takes effect, or after it (its answer is lost), or as the last one of a worker
 * that dies. Or something else happens before it.
 */
export type Fault = { at: number; kind: "fails" | "lost" | "died" | (() => Promise<unknown>) };

export type SealingStage = ReturnType<typeof useSealingStage>;

export const useSealingStage = () => {
  const database = useDatabase(...TABLES);
  const time = { now: NOW };
  const now = () => time.now;
  const checkpoints = new Map<number, string[]>();
  const published: SealingRun[] = [];
  const keys = { bytes: [7] };
  const retention = { days: 90 };
  let draws = 0;
  let minted = 0;

  const random = (bytes: number): Uint8Array =>
    createHash("sha512").update(`random ${draws++}`).digest().subarray(0, bytes);

  const stores = (client = database.client) => {
    const table = <Name extends (typeof TABLES)[number]>(name: Name) => createTable<Name>(client, name);
    const evidence = createEvidenceStore(table("evidence"), now);
    const hourEvents = createHourEventsStore(table("securityEvents"));
    const reading = () => ({ events: hourEvents, evidence, retentionMs: retention.days * DAY_MS, now });
    return {
      events: createSecurityEventStore(table("securityEvents")),
      evidence,
      dueSeals: createDueSealStore(table("securityRollups"), now),
      salts: createSaltStore(table("securityEvents")),
      partitions: createPartitions((name) => createTable(client, name)),
      /** Without an archive, by today's retention. */
      readHour: (scope: string, hour: number, expiresAt?: number) =>
        createReadSealedHour(reading(), toHourLeaf)(scope, hour, expiresAt),
      /** The same for a proof. */
      readProved: (scope: string, hour: number, expiresAt?: number) =>
        createReadSealedHour(reading(), toProvedEvent)(scope, hour, expiresAt),
    };
  };
  const main = stores();

  const signer: SealingDependencies["signer"] = {
    async sign(origin, size, root) {
      const body = checkpointBody(origin, size, root);
      const signatures = keys.bytes.map(keyOf).map(({ privateKey, spki }) => ({
        keyId: verifierKeyOf(origin, spki).id,
        signature: sign(null, Buffer.from(body), privateKey),
      }));
      return signedCheckpoint(origin, body, signatures);
    },
  };

  const dependenciesOf = (from: ReturnType<typeof stores>): SealingDependencies => ({
    ...from,
    signer,
    checkpoints: { put: async (size, text) => void checkpoints.set(size, [...(checkpoints.get(size) ?? []), text]) },
    origin: ORIGIN,
    bus: {
      publish: async (events) => {
        published.push(...events.map(({ detail }) => detail as SealingRun));
        return [];
      },
    },
    now,
    random,
  });

  /** Stores whose call of a number fails. `calls`: how many there were. */
  const faulty = (fault: Fault | undefined) => {
    const state = { calls: 0, isDead: false };
    const strike = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      const isHit = ++state.calls === fault?.at;
      if (isHit && typeof fault?.kind === "function") {
        await fault.kind();
        return call();
      }
      if (state.isDead || (isHit && fault?.kind === "fails")) throw new Error("The call failed.");
      const result = await call();
      if (isHit && fault?.kind === "died") state.isDead = true;
      if (isHit) throw new Error("The answer was lost.");
      return result;
    };
    const send = (...args: Parameters<typeof database.client.send>) =>
      strike(async () => await database.client.send(...args));
    const own = dependenciesOf(stores({ ...database.client, send } as typeof database.client));
    const dependencies: SealingDependencies = {
      ...own,
      signer: { sign: (...of) => strike(() => own.signer.sign(...of)) },
      checkpoints: { put: (...of) => strike(() => own.checkpoints.put(...of)) },
    };
    return { dependencies, state };
  };

  const scan = async (name: (typeof TABLES)[number]): Promise<Item[]> => {
    const found: Item[] = [];
    let after: Record<string, unknown> | undefined;
    do {
      const page = await database.client.send(
        new ScanCommand({ TableName: name, ConsistentRead: true, ...(after && { ExclusiveStartKey: after }) }),
      );
      found.push(...(page.Items ?? []));
      after = page.LastEvaluatedKey;
    } while (after !== undefined);
    return found;
  };

  return {
    time,
    checkpoints,
    published,
    keys,
    retention,
    table: <Name extends (typeof TABLES)[number]>(name: Name) => createTable<Name>(database.client, name),
    ...main,
    scan,
    dependenciesOf: () => dependenciesOf(main),
    faulty,

    /** Empties everything, and begins again. */
    async reset(): Promise<void> {
      for (const name of TABLES) {
        const { partitionKey, sortKey } = tables[name];
        const items = (await scan(name)).map((item) => ({
          [partitionKey]: item[partitionKey],
          [sortKey]: item[sortKey],
        }));
        await deleteItems(createTable(database.client, name), items as never[]);
      }
      Object.assign(time, { now: NOW });
      checkpoints.clear();
      published.length = 0;
      keys.bytes = [7];
      retention.days = 90;
      draws = 0;
      minted = 0;
    },

    /** Stores heads of further organizations, which use the first slots. */
    async addHeads(count: number): Promise<void> {
      const log = new Uint8Array(16);
      await inParallel(Array(count).keys(), 16, async (slot) => {
        const head = { slot, log, size: 0, subtrees: [], step: -1 };
        await putItem(createTable<"evidence">(database.client, "evidence"), {
          ...headKeyOf(organizationKey(`org-${slot}`)),
          ...head,
        });
      });
    },

    /** Changes an event's attributes behind the service's back, or deletes it. */
    async tamper(organizationId: string, id: string, attributes: Item | undefined): Promise<void> {
      const table = createTable<"securityEvents">(database.client, "securityEvents");
      const key = { scope: organizationKey(organizationId), id };
      if (attributes === undefined) return void (await deleteItem(table, key));
      const { id: _, ...set } = attributes;
      await updateItem(table, key, { set });
    },

    /** Changes attributes of an organization's head behind the service's back. */
    async tamperHead(organizationId: string, set: Item): Promise<void> {
      const table = createTable<"evidence">(database.client, "evidence");
      await updateItem(table, headKeyOf(organizationKey(organizationId)), { set });
    },

    signingKeys: () =>
      keys.bytes.map(keyOf).map(({ spki }) => ({ line: verifierKeyOf(ORIGIN, spki).line, spki: new Uint8Array(spki) })),
    publicKeys: () => keys.bytes.map((byte) => ({ spki: keyOf(byte).spki })),

    verifierKeys: () => keys.bytes.map((byte) => verifierKeyOf(ORIGIN, keyOf(byte).spki).line),

    /**
     * Stores an event, as the recorder does, and marks its hour as closing it does.
     * @param salt "none" for an event of an older version of the service.
     */
    async record(
      organizationId: string,
      timestamp: number,
      fields: Partial<SecurityEvent> = {},
      salt: "fixed" | "none" = "fixed",
    ): Promise<SecurityEvent> {
      const digest = createHash("sha256").update(`event ${minted++}`).digest();
      const event: SecurityEvent = {
        id: eventId(timestamp, digest.subarray(0, 16)),
        organizationId,
        userId: "ada",
        eventType: "DATA_READ",
        category: "data_access",
        riskLevel: "LOW",
        source: "user",
        success: true,
        processed: false,
        alertGenerated: false,
        timestamp,
        createdAt: timestamp,
        metadata: { records: 3, share: 0.1 },
        ...fields,
      };
      const isLate = startOfHour(timestamp) !== startOfHour(time.now);
      const seal = salt === "none" ? undefined : { salt: digest.subarray(16), isLate };
      await main.events.put({ event, ttl: expiryOf(timestamp, retention.days), seal });
      await main.dueSeals.markDue(organizationKey(organizationId), startOfHour(timestamp));
      return event;
    },

    /** Sweeps a user out of an organization's events, as an erasure does. @param from stores of a worker that may fail. */
    async erase(organizationId: string, userId: string, erasureId: string, from = main): Promise<void> {
      const events = from.partitions(organizationId).securityEvents;
      const user = { userId, matcher: createUserMatcher([userId]), addresses: new Set<string>() };
      const locations: DataLocation[] = [
        eventsOfUser(events, erasureId, user),
        sealErasedHours(from, organizationId, { events, erasureId }),
      ];
      for (const location of locations)
        for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
          const page = await location.read(after);
          await page.erase();
          after = page.next;
        }
    },

    /** Runs the worker as the schedule does. */
    run: (dependencies = dependenciesOf(main), remainingMs = () => 900_000) =>
      sealDueHours(dependencies, {}, remainingMs),
  };
};
