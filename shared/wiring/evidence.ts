/** The sealed log of a deployed function. All throw Error at cold start if the environment lacks a variable. */
import { randomBytes } from "node:crypto";
import {
  createReadSealedHour,
  type ReadSealedHour,
  type StoredEvent,
  toHourLeaf,
} from "../archive/read-sealed-hour.ts";
import { createErasureStore } from "../erasure/erasure-store.ts";
import { type ProofSourceDependencies, toProvedEvent } from "../exports/proof-sources.ts";
import { createProofSpan, createSizeOfProof, type ProofSpan, type SizeOfProof } from "../exports/proof-span.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { createSigningKeys } from "../runtime/signing-keys.ts";
import { createCheckCheckpoints } from "../sealing/check-checkpoints.ts";
import { createReadCheckpoint } from "../sealing/checkpoint.ts";
import { createCheckpointSigner } from "../sealing/checkpoint-signer.ts";
import { createCheckpointStore } from "../sealing/checkpoint-store.ts";
import { createEvidenceStore } from "../sealing/evidence-store.ts";
import { createReadIntegrity, type ReadIntegrity } from "../sealing/read-integrity.ts";
import { createReadLog, type ReadLog, rememberLog } from "../sealing/read-log.ts";
import { createSaltStore } from "../sealing/salt-store.ts";
import type { SealingDependencies } from "../sealing/seal-due-hours.ts";
import { createHourEventsStore } from "../security/feed/hour-events-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import { wireArchiveReader } from "./archive.ts";
import { wireDueSealStore } from "./sealing-marks.ts";

export const wireEvidenceStore = () => createEvidenceStore(openTable("evidence"), systemClock);

const wireCheckpoints = () =>
  createCheckpointStore(createObjectStore(s3, readConfig(["CHECKPOINTS_BUCKET"]).CHECKPOINTS_BUCKET));

const wireCheckpointSigner = () =>
  createCheckpointSigner(createSigningKeys(readConfig(["CHECKPOINT_KEY_IDS"]).CHECKPOINT_KEY_IDS));

const wireReadSealedHour = <Kept>(keep: (event: StoredEvent) => Kept): ReadSealedHour<Kept> =>
  createReadSealedHour(
    {
      events: createHourEventsStore(openTable("securityEvents")),
      evidence: wireEvidenceStore(),
      archive: wireArchiveReader()?.archive,
      retentionMs: readConfig(["RETENTION_DAYS"]).RETENTION_DAYS * DAY_MS,
      now: systemClock,
    },
    keep,
  );

/** More than an organization has under way at once. */
const RECENT_ERASURES = 20;

/** What is not sealed yet, or may not be. */
const wireUnsealed = () => {
  const due = wireDueSealStore();
  const openHours = createOpenHourStore(openTable("securityRollups"), systemClock);
  const erasures = createErasureStore(openTable("erasures"));
  return {
    async listDue(scope: string, span: { from: number; to: number }): Promise<number[]> {
      // An open hour gets its mark before it is closed.
      const open = await openHours.list(scope, span.from);
      return [...open.filter((hour) => hour < span.to), ...(await due.listDue(scope, span))];
    },
    async isErasing(organizationId: string): Promise<boolean> {
      const { items } = await erasures.list(organizationId, { limit: RECENT_ERASURES, after: undefined });
      return items.some(({ status }) => status !== "completed");
    },
  };
};

const wireReadLog = (): ReadLog => createReadLog({ evidence: wireEvidenceStore(), checkpoints: wireCheckpoints() });

/** For functions that ask for many organizations, one after the other. */
export const wireRememberedLog = (): ReadLog => rememberLog(wireReadLog(), systemClock);

export const wireReadIntegrity = (readLog = wireReadLog()): ReadIntegrity =>
  createReadIntegrity({
    evidence: wireEvidenceStore(),
    readLog,
    readHour: wireReadSealedHour(toHourLeaf),
    ...wireUnsealed(),
    keys: wireCheckpointSigner().keys,
    now: systemClock,
  });

export const wireCheckCheckpoints = () =>
  createCheckCheckpoints({
    evidence: wireEvidenceStore(),
    checkpoints: wireCheckpoints(),
    keys: wireCheckpointSigner().keys,
  });

export const wireReadCheckpoint = () =>
  createReadCheckpoint({ evidence: wireEvidenceStore(), checkpoints: wireCheckpoints() });

export const wireProofSpan = (): ProofSpan => createProofSpan({ evidence: wireEvidenceStore() });

export const wireSizeOfProof = (): SizeOfProof =>
  createSizeOfProof({ evidence: wireEvidenceStore(), ...wireUnsealed() });

export const wireProofSources = (): ProofSourceDependencies => ({
  evidence: wireEvidenceStore(),
  readHour: wireReadSealedHour(toProvedEvent),
  checkpoints: wireCheckpoints(),
  keys: wireCheckpointSigner().keys,
});

export const wireSealing = (): SealingDependencies => {
  const config = readConfig(["CHECKPOINTS_BUCKET", "CHECKPOINT_COPY_BUCKET", "CHECKPOINT_ORIGIN", "EVENT_BUS_NAME"]);
  const copies = config.CHECKPOINT_COPY_BUCKET;
  return {
    evidence: wireEvidenceStore(),
    dueSeals: wireDueSealStore(),
    readHour: wireReadSealedHour(toHourLeaf),
    salts: createSaltStore(openTable("securityEvents")),
    signer: wireCheckpointSigner(),
    checkpoints: createCheckpointStore(
      createObjectStore(s3, config.CHECKPOINTS_BUCKET),
      copies === undefined ? undefined : createObjectStore(s3, copies),
    ),
    origin: config.CHECKPOINT_ORIGIN,
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
    random: randomBytes,
  };
};
