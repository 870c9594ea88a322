/** The files of an export with proof, and how a forger changes them: it knows the files' format and nothing else. */
import { createHash } from "node:crypto";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Line = Record<string, unknown>;
type ManifestFile = { name: string; count: number; bytes: number; sha256: string };
export type Manifest = {
  organizationId: string;
  exportId: string;
  since: number;
  until: number;
  files: ManifestFile[];
};

/** JSON with sorted members: what a forger writes, too. Texts, numbers and lists only. */
export const sorted = (value: Line): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));

export type ProofFolder = ReturnType<typeof copyProof>;

/** A copy of an export that may be changed. */
export const copyProof = (from: string, folder: string) => {
  cpSync(from, folder, { recursive: true });
  const pathOf = (name: string) => join(folder, name);
  const readManifest = (): Manifest => JSON.parse(readFileSync(pathOf("manifest.json"), "utf8"));
  const writeManifest = (manifest: Manifest) => writeFileSync(pathOf("manifest.json"), JSON.stringify(manifest));

  /** Writes a file and the manifest's entry, so that only the proof can tell. */
  const write = (name: string, text: string | Uint8Array): void => {
    const bytes = Buffer.from(text);
    writeFileSync(pathOf(name), bytes);
    const manifest = readManifest();
    const files = manifest.files.map((file) =>
      file.name === name
        ? {
            name,
            count: bytes.toString("latin1").split("\n").length - 1,
            bytes: bytes.length,
            sha256: createHash("sha256").update(bytes).digest("hex"),
          }
        : file,
    );
    writeManifest({ ...manifest, files });
  };
  const read = (name: string): string => readFileSync(pathOf(name), "utf8");

  return {
    folder,
    read,
    write,
    remove: (name: string) => rmSync(pathOf(name)),
    lines: (name: string): string[] => read(name).trimEnd().split("\n"),
    writeLines: (name: string, lines: readonly string[]) => write(name, lines.map((line) => `${line}\n`).join("")),
    /** Changes the entries of a file of lines, each as an object. */
    change(name: string, change: (entries: Line[]) => Line[], print: (entry: Line) => string = JSON.stringify): void {
      const entries = read(name)
        .trimEnd()
        .split("\n")
        .map((line): Line => JSON.parse(line));
      write(
        name,
        change(entries)
          .map((entry) => `${print(entry)}\n`)
          .join(""),
      );
    },
    changeManifest: (change: (manifest: Manifest) => Manifest) => writeManifest(change(readManifest())),
  };
};
