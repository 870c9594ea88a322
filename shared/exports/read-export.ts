/** Reads an export with links to its files: GET …/security/exports/{id}. */
import type { Clock } from "../runtime/clock.ts";
import type { ObjectStore } from "../runtime/object-store.ts";
import type { DataReadRecorder } from "../security/data-reads.ts";
import type { UserRequest } from "../terms/requester.ts";
import { type Export, LINK_MS, LINK_SECONDS } from "./export.ts";
import { toExport } from "./export-item.ts";
import type { ExportStore } from "./export-store.ts";
import { personalDataOf } from "./personal-data.ts";

export type ReadExport = (exportId: string, by: UserRequest) => Promise<Export>;

/** The name of a downloaded file: it says when the export was requested. */
const downloadName = (name: string, requestedAt: number): string =>
  `${new Date(requestedAt).toISOString().slice(0, 19).replaceAll(":", "-")}-${name.replaceAll("/", "-")}`;

export const createReadExport =
  ({
    exports,
    objects,
    reads,
    clock,
  }: {
    exports: Pick<ExportStore, "get">;
    objects: Pick<ObjectStore, "linkTo">;
    reads: DataReadRecorder;
    clock: Clock;
  }): ReadExport =>
  /** An answer with links is recorded as a read. @throws DomainError `export_not_found`, `store_unavailable`. */
  async (exportId, { caller, origin }) => {
    const now = clock();
    const stored = await exports.get(caller.organizationId, exportId, now);
    const shown = toExport(stored, now);
    if (shown.status !== "completed") return shown;
    await reads.record({ caller, origin, kind: "export" });
    // The verifier finds the files of a proof by their names.
    const nameOf = ({ name }: { name: string }) =>
      stored.proof === true ? name : downloadName(name, stored.requestedAt);
    const linked = stored.files.map(async ({ key, ...file }) => ({
      ...file,
      url: await objects.linkTo(key, LINK_SECONDS, { fileName: nameOf(file) }),
      urlExpiresAt: now + LINK_MS,
    }));
    return { ...shown, files: await Promise.all(linked), personalData: personalDataOf(stored.files) };
  };
