/**
 * Works on an export, file by file and part by part, and deletes the files when they have expired. If the invocation's
 * time runs short, another invocation continues. A worker that has lost its lease stops at its next checkpoint.
 * docs/exports.md, "How an export is written".
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import { handOver, type Invocation } from "../work/hand-over.ts";
import { createHeldLease, LeaseLostError, type LeaseOwner } from "../work/lease.ts";
import { type ExportErrorCode, TIME_LIMIT_MS } from "./export.ts";
import { type ExportEvents, type ExportRequested, exportRequested } from "./export-events.ts";
import type { ExportWork, StoredExport, StoredFile } from "./export-item.ts";
import type { ExportCheckpoint, ExportLeaseStore } from "./export-lease-store.ts";
import type { ExportStore } from "./export-store.ts";
import type { FileSource } from "./file-source.ts";
import { ProofFailedError } from "./proof-sources.ts";
import type { SizeOfProof } from "./proof-span.ts";
import {
  deleteObjects,
  MAX_FILE_BYTES,
  type Objects,
  PART_BYTES,
  prefixOfExport,
  readBackMs,
  stepOfFile,
} from "./write-file.ts";

/** The time for one more part and for moving the export to the next invocation. */
const HANDOVER_MS = 40_000;

export type ExportWorkerDependencies = {
  leases: ExportLeaseStore;
  exports: Pick<ExportStore, "forgetOrigin">;
  objects: Objects;
  /** The next file of an export; undefined after the last one. @param files that are complete. */
  nextSource(organizationId: string, stored: StoredExport, files: readonly StoredFile[]): FileSource | undefined;
  sizeOfProof: SizeOfProof;
  events: ExportEvents;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  newToken: () => string;
  partBytes?: number;
  maxFileBytes?: number;
};

/** The summary of an invocation, for its log line. */
export type ExportWorkSummary = {
  isTaken: boolean;
  isEnded: boolean;
  isHandedOver: boolean;
  files: number;
  items: number;
};

const notTaken: ExportWorkSummary = { isTaken: false, isEnded: false, isHandedOver: false, files: 0, items: 0 };

export type ExportWorker = (request: ExportRequested, invocation: Invocation) => Promise<ExportWorkSummary>;

const sizeOf = ({ size }: ExportWork): ExportWork => definedFields({ size });

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

export const createExportWorker = (dependencies: ExportWorkerDependencies): ExportWorker => {
  const { leases, objects, clock, bus, partBytes = PART_BYTES, maxFileBytes = MAX_FILE_BYTES } = dependencies;

  const work = async (
    organizationId: string,
    stored: StoredExport,
    owner: LeaseOwner,
    { remainingMs }: Invocation,
  ): Promise<ExportWorkSummary> => {
    const { id, origin, takes = 1 } = stored;
    const lease = createHeldLease<ExportCheckpoint>({ leases, clock }, organizationId, id, owner);
    const keyPrefix = prefixOfExport(organizationId, id);
    let state: ExportWork = stored.work ?? {};
    let files: readonly StoredFile[] = stored.files;
    const save = async (next: ExportWork, complete = files): Promise<void> => {
      await lease.checkpoint({ id, work: next, files: complete });
      [state, files] = [next, complete];
    };
    const summary = (isEnded: boolean, isHandedOver = !isEnded): ExportWorkSummary => ({
      isTaken: true,
      isEnded,
      isHandedOver,
      files: files.length,
      items: sum([...files, ...(state.file === undefined ? [] : [state.file])].map(({ count }) => count)),
    });

    const deleteFiles = async (): Promise<void> => {
      await lease.confirm();
      await deleteObjects(objects, keyPrefix);
      await leases.forgetFiles(organizationId, id, owner);
    };

    const fail = async (error: ExportErrorCode): Promise<void> => {
      writeLog("error", "An export failed", { alarm: "export_failed", exportId: id, reason: error });
      await lease.confirm();
      if (state.file !== undefined) await objects.abortUpload(state.file.key, state.file.uploadId);
      await deleteObjects(objects, keyPrefix);
      await leases.end(organizationId, id, { status: "failed", error }, owner);
    };

    const finish = async (): Promise<void> => {
      const completedAt = state.completedAt ?? clock();
      // Stored first, because the event's id follows from it.
      if (state.completedAt === undefined) await save({ ...state, completedAt });
      const [items, bytes] = [sum(files.map(({ count }) => count)), sum(files.map((file) => file.bytes))];
      await dependencies.events.completed(organizationId, stored, { files: files.length, items, bytes, completedAt });
      await leases.end(organizationId, id, { status: "completed", files, completedAt }, owner);
    };

    const step = async (source: FileSource): Promise<void> => {
      const done = await stepOfFile(
        { objects, keep: lease.keep, partBytes },
        source,
        state.file,
        { keyPrefix, takes },
        (file) => save({ ...sizeOf(state), file }),
      );
      if ("complete" in done) await save(sizeOf(state), [...files, done.complete]);
      else await save({ ...sizeOf(state), file: done.file });
    };

    /** Fixes the log that an export with proof proves. @returns false while the export must wait for the next hour. */
    const fixSize = async (): Promise<boolean> => {
      const { proof, filter } = stored;
      if (proof !== true || filter === undefined || state.size !== undefined) return true;
      const size = await dependencies.sizeOfProof(organizationId, filter);
      if (size !== undefined) await save({ ...state, size });
      return size !== undefined;
    };

    /** The end of a file needs the time to read it back. */
    const isTimeShort = (): boolean => remainingMs() < HANDOVER_MS + (state.file?.isRead ? readBackMs(state.file) : 0);

    if (stored.completedAt !== undefined) {
      await deleteFiles();
      return summary(true);
    }
    if (origin !== undefined) {
      await dependencies.events.requested(organizationId, stored, origin);
      await dependencies.exports.forgetOrigin(organizationId, id);
    }
    while (!isTimeShort()) {
      if (stored.requestedAt + TIME_LIMIT_MS <= clock()) {
        await fail("too_slow");
        return summary(true);
      }
      if ((state.file?.bytes ?? 0) > maxFileBytes) {
        await fail("too_large");
        return summary(true);
      }
      if (!(await fixSize())) {
        // The next hour requests a worker again.
        await lease.release();
        return summary(false, false);
      }
      const source = dependencies.nextSource(organizationId, { ...stored, work: state }, files);
      if (source === undefined) {
        await finish();
        return summary(true);
      }
      try {
        await step(source);
      } catch (error) {
        if (!(error instanceof ProofFailedError)) throw error;
        await fail(error.code);
        return summary(true);
      }
    }
    await handOver({ lease, bus, remainingMs }, exportRequested({ organizationId, exportId: id }));
    return summary(false);
  };

  /**
   * Works on the requested export, unless it has another worker or nothing is to be done: requests may be delivered twice.
   * @throws any failure, so that the request is delivered again: DomainError `store_unavailable`.
   */
  return async ({ organizationId, exportId }, invocation) => {
    const owner = { delivery: invocation.delivery, attempt: dependencies.newToken() };
    const stored = await leases.take(organizationId, exportId, owner, clock());
    if (stored === undefined) return notTaken;
    try {
      return await work(organizationId, stored, owner, invocation);
    } catch (error) {
      if (error instanceof LeaseLostError) return { ...notTaken, isTaken: true };
      throw error;
    }
  };
};
