/**
 * A deployment in memory that records, seals and erases events as docs/evidence.md says, and exports them with proof. It
 * has the pure functions of shared/evidence/ and no store, so that the verifier can be tried on any history.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkpointBody, signedCheckpoint, verifierKeyOf } from "../../shared/evidence/checkpoint.ts";
import {
  EMPTY_TREE,
  grow,
  type Hash,
  inclusionPath,
  leafHash,
  rootOf,
  rootOfFrontier,
} from "../../shared/evidence/merkle-tree.ts";
import { hashesOfSlots, slotsFor } from "../../shared/evidence/organization-tree.ts";
import {
  encodeHash,
  entryOf,
  erasedRootOf,
  eventLeaf,
  type HourRecord,
  type LogHead,
} from "../../shared/evidence/sealed-log.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { HOUR_MS, startOfHour } from "../../shared/terms/hours.ts";

export const ORIGIN = "example.eu-central-1.integration-security";

type Sealed = { event: SecurityEvent; salt: Uint8Array; hash?: Hash; erasure?: string };
type Organization = { id: string; slot: number; log: string; records: HourRecord[]; hours: Map<number, Sealed[]> };

/** @param start the first sealed hour, epoch ms. */
export const createSealedWorld = (start: number) => {
  const organizations = new Map<string, Organization>();
  const pending = new Map<string, SecurityEvent[]>();
  const secret = randomBytes(32);
  const log: string[] = [];
  const checkpoints: string[] = [];
  const keys = [generateKeyPairSync("ed25519")];
  let newest: { heads: Map<string, LogHead>; hashes: Hash[] } = { heads: new Map(), hashes: [] };

  const verifierKey = ({ publicKey }: { publicKey: KeyObject }) =>
    verifierKeyOf(ORIGIN, publicKey.export({ format: "der", type: "spki" }));

  const organization = (id: string): Organization => {
    const known = organizations.get(id);
    if (known !== undefined) return known;
    const slot = (organizations.size * 397 + 11) % 1_024;
    const made = { id, slot, log: encodeHash(randomBytes(16)), records: [], hours: new Map() };
    organizations.set(id, made);
    return made;
  };

  const leafOf = ({ event, salt, hash }: Sealed): Hash => hash ?? eventLeaf(event, salt);

  const sealHour = ({ id, hours, records }: Organization, hour: number, added: SecurityEvent[]) => {
    const sealed = hours.get(hour) ?? [];
    const inOrder = added.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    sealed.push(...inOrder.map((event) => ({ event, salt: randomBytes(16) })));
    hours.set(hour, sealed);
    const emptied = sealed.flatMap(({ event, salt, erasure }, index) =>
      erasure === undefined ? [] : [{ index, erasure, event: eventLeaf(event, salt) }],
    );
    records.push({
      organizationId: id,
      hour,
      version: records.filter((record) => record.hour === hour).length + 1,
      count: sealed.length,
      root: encodeHash(rootOf(sealed.map(leafOf))),
      erased: emptied.length,
      erasedRoot: encodeHash(erasedRootOf(emptied)),
      step: log.length,
    });
  };

  const headOf = ({ log: ownLog, records }: Organization, hour: number): LogHead => ({
    hour,
    log: ownLog,
    root: encodeHash(rootOf(records.map((record) => leafHash(entryOf(record))))),
    size: records.length,
  });

  const toSeal = new Map<string, Set<number>>();
  const markHour = (id: string, hour: number) => toSeal.set(id, (toSeal.get(id) ?? new Set()).add(hour));

  return {
    record(event: SecurityEvent): void {
      const id = event.organizationId ?? "";
      organization(id);
      pending.set(id, [...(pending.get(id) ?? []), event]);
      markHour(id, startOfHour(event.timestamp));
    },

    /** Empties events; the next step seals it. */
    erase(id: string, erasure: string, isTheirs: (event: SecurityEvent) => boolean): void {
      for (const [hour, sealed] of organization(id).hours)
        for (const one of sealed.filter(({ event }) => isTheirs(event))) {
          one.hash = leafOf(one);
          const { userId, ipAddress, errorMessage, ...left } = one.event;
          Object.assign(one, { event: left, salt: randomBytes(16), erasure });
          markHour(id, hour);
        }
    },

    /** Seals the next hour of the deployment, and what came late for the hours before. */
    step(): void {
      const hour = start + log.length * HOUR_MS;
      for (const one of organizations.values()) {
        const added = Map.groupBy(pending.get(one.id) ?? [], ({ timestamp }) => startOfHour(timestamp));
        for (const due of [...(toSeal.get(one.id) ?? [])].sort((a, b) => a - b)) {
          if (due > hour) continue;
          sealHour(one, due, added.get(due) ?? []);
          added.delete(due);
          toSeal.get(one.id)?.delete(due);
        }
        pending.set(one.id, [...added.values()].flat());
      }
      const heads = new Map([...organizations.values()].map((one) => [one.id, headOf(one, hour)]));
      const bySlot = new Map([...organizations.values()].map(({ id, slot }) => [slot, heads.get(id) as LogHead]));
      const hashes = hashesOfSlots(bySlot, { hour, slots: slotsFor(organizations.size), secret });
      newest = { heads, hashes };
      log.push(entryOf({ hour, root: encodeHash(rootOf(hashes)) }));
      const root = rootOfFrontier(
        grow(
          EMPTY_TREE,
          log.map((entry) => leafHash(entry)),
        ),
      );
      const body = checkpointBody(ORIGIN, log.length, root);
      const signatures = keys.map((pair) => ({
        keyId: verifierKey(pair).id,
        signature: sign(null, Buffer.from(body), pair.privateKey),
      }));
      checkpoints.push(signedCheckpoint(ORIGIN, body, signatures));
    },

    /** Adds a second signing key, as a deployment does that replaces its key. */
    addKey: () => void keys.push(generateKeyPairSync("ed25519")),
    removeFirstKey: () => void keys.shift(),
    verifierKeys: () => keys.map((pair) => verifierKey(pair).line),
    checkpoints: () => [...checkpoints],

    /** Writes an export with proof into a folder. Both times are whole hours. */
    export(folder: string, id: string, { since, until }: { since: number; until: number }): void {
      const one = organization(id);
      const { head, path } = { head: newest.heads.get(id), path: inclusionPath(newest.hashes, one.slot) };
      const hours = [...one.hours].filter(([hour]) => hour >= since && hour < until).sort(([a], [b]) => a - b);
      const leaves = hours.flatMap(([hour, sealed]) =>
        sealed.map(({ event, salt, hash, erasure }, index) => ({
          hour,
          index,
          id: event.id,
          ...(hash !== undefined && { hash: encodeHash(hash), erasure }),
          salt: encodeHash(salt),
        })),
      );
      const events = hours
        .flatMap(([, sealed]) => sealed.map(({ event }) => event))
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      const linesOf = (entries: readonly unknown[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      const files = {
        "events.ndjson": linesOf(events),
        "leaves.ndjson": linesOf(leaves),
        "records.ndjson": one.records.map((record) => `${entryOf(record)}\n`).join(""),
        "head.json": `${JSON.stringify({ ...head, index: one.slot, slots: newest.hashes.length, path: path.map(encodeHash) })}\n`,
        "log.ndjson": log.map((entry) => `${entry}\n`).join(""),
        "checkpoint.txt": checkpoints.at(-1) ?? "",
        "key.txt": `${keys.map((pair) => verifierKey(pair).line).join("\n")}\n`,
      };
      mkdirSync(folder, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const manifest = {
        organizationId: id,
        exportId: "an-export",
        since,
        until,
        files: Object.entries(files).map(([name, text]) => ({
          name,
          count: text.split("\n").length - 1,
          bytes: Buffer.byteLength(text),
          sha256: createHash("sha256").update(text).digest("hex"),
        })),
      };
      writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
    },
  };
};
