/**
 * The files of an export with proof. All are as of one step of the deployment's log, whose size is fixed before the first
 * file: what is sealed meanwhile is in none of them. docs/evidence.md, "Files of a proof".
 */
import type { ReadSealedHour, StoredEvent } from "../archive/read-sealed-hour.ts";
import { type HourLeaf, leafOf, leavesOfHour, summaryOf } from "../evidence/hour-leaves.ts";
import { inclusionPath } from "../evidence/merkle-tree.ts";
import { encodeHash, type HourRecord, recordOf } from "../evidence/sealed-log.ts";
import { headIn, hourOfLeaf, type LogState } from "../sealing/evidence-item.ts";
import type { EvidenceStore } from "../sealing/evidence-store.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { organizationKey } from "../terms/keys.ts";
import type { ExportErrorCode, ExportedFile, ExportFilter } from "./export.ts";
import { type FileSource, jsonOf, NDJSON, toLines } from "./file-source.ts";

/** The export cannot be made. */
export class ProofFailedError extends Error {
  readonly code: ExportErrorCode;
  constructor(code: ExportErrorCode) {
    super(`The proof failed: ${code}.`);
    this.code = code;
  }
}

/** An event of an hour that is proved: its leaf, and all that the leaf is made of. */
export type ProvedEvent = HourLeaf & { stored: StoredEvent };

export const toProvedEvent = (stored: StoredEvent): ProvedEvent => ({ ...leafOf(stored), stored });

export type ProofSourceDependencies = {
  evidence: Pick<EvidenceStore, "getState" | "getHour" | "listRecords" | "getHead" | "listLeaves" | "getSlots">;
  readHour: ReadSealedHour<ProvedEvent>;
  checkpoints: { read(size: number): Promise<string | undefined> };
  /** The keys of the checkpoints, as verifiers take them. */
  keys(origin: string): Promise<readonly { line: string }[]>;
};

/** An export, and the size of the log that it proves. */
type Proved = { organizationId: string; exportId: string; filter: ExportFilter; size: number };

type Leaf = ProvedEvent & { hour: number; index: number };

const inSpan = ({ since, until }: ExportFilter, hour: number): boolean => hour >= since && hour < until;

/** As leaves.ndjson has it. */
const toLine = ({ hour, index, id, stored: { hash, erasure, salt } }: Leaf) => ({
  hour,
  index,
  id,
  ...(hash !== undefined && { hash: encodeHash(hash), erasure }),
  salt: encodeHash(salt),
});

const textOf = (name: string, contentType: string, read: () => Promise<string>): FileSource => ({
  name,
  contentType,
  async read() {
    const text = await read();
    return { text, count: text.split("\n").length - 1, next: undefined };
  },
});

/** What all files of a proof are made of. Records are read once for all of them. */
const createProofReader = (
  { evidence, readHour, ...rest }: ProofSourceDependencies,
  { organizationId, filter, size }: Omit<Proved, "exportId">,
) => {
  const scope = organizationKey(organizationId);
  let records: Promise<string[]> | undefined;

  const readRecords = async (): Promise<string[]> => {
    const entries: string[] = [];
    for await (const entry of evidence.listRecords(scope)) {
      if (recordOf(entry).step >= size) break;
      entries.push(entry);
    }
    return entries;
  };
  const listRecords = (): Promise<string[]> => (records ??= readRecords());

  const readHours = async (): Promise<HourRecord[]> => {
    const newest = new Map<number, HourRecord>();
    for (const entry of await listRecords()) {
      const record = recordOf(entry);
      if (inSpan(filter, record.hour)) newest.set(record.hour, record);
    }
    return [...newest.values()].sort((one, other) => one.hour - other.hour);
  };

  let hours: Promise<HourRecord[]> | undefined;
  /** The newest record of each sealed hour of the span, oldest first. Each page of a file asks for them. */
  const listHours = (): Promise<HourRecord[]> => (hours ??= readHours());

  /** The leaves that a record counts. @throws ProofFailedError if they are not what is stored. */
  const readLeaves = async ({ hour, count, root, erased, erasedRoot }: HourRecord): Promise<Leaf[]> => {
    const sealed = await evidence.getHour(scope, hour);
    const events = await readHour(scope, hour, sealed?.expiresAt);
    if (events === undefined) throw new ProofFailedError("expired");
    const leaves = leavesOfHour(events, sealed).leaves.slice(0, count);
    const found = summaryOf(leaves);
    const isSealed = found.root === root && found.erased === erased && found.erasedRoot === erasedRoot;
    if (!isSealed) throw new ProofFailedError("broken");
    return leaves.map((leaf, index) => ({ ...leaf, hour, index }));
  };

  const readState = async (): Promise<LogState> => {
    const state = await evidence.getState();
    if (state === undefined) throw new ProofFailedError("broken");
    return state;
  };

  const readHead = async () => {
    const [state, head, slots] = await Promise.all([readState(), evidence.getHead(scope), evidence.getSlots(size)]);
    const inStep = head && headIn(head, size - 1, hourOfLeaf(state, size - 1));
    if (head === undefined || inStep === undefined) throw new ProofFailedError("broken");
    return { ...inStep, index: head.slot, slots: slots.length, path: inclusionPath(slots, head.slot).map(encodeHash) };
  };

  return {
    ...rest,
    listRecords,
    listHours,
    readLeaves,
    readState,
    readHead,
    listLog: () => evidence.listLeaves(0, size),
  };
};

type ProofReader = ReturnType<typeof createProofReader>;

/** A page for each hour. @param inOrder of the hours, from all of them, oldest first. */
const hourly = (
  name: string,
  { listHours, readLeaves }: ProofReader,
  inOrder: (hours: HourRecord[]) => HourRecord[],
  write: (leaves: Leaf[]) => unknown[],
): FileSource => ({
  name,
  contentType: NDJSON,
  async read(after) {
    const hours = inOrder(await listHours());
    const at = after === undefined ? 0 : hours.findIndex(({ hour }) => hour === Number(after)) + 1;
    const hour = hours[at];
    if (hour === undefined) return { text: "", count: 0, next: undefined };
    const lines = write(await readLeaves(hour));
    return { text: toLines(lines), count: lines.length, next: at + 1 < hours.length ? String(hour.hour) : undefined };
  },
});

const newestFirst = (leaves: Leaf[]): SecurityEvent[] =>
  leaves.map(({ stored }) => stored.event).sort((one, other) => (one.id < other.id ? 1 : -1));

const entriesOf = (name: string, read: () => AsyncIterable<string> | Promise<string[]>): FileSource =>
  textOf(name, NDJSON, async () => {
    const lines: string[] = [];
    for await (const entry of await read()) lines.push(`${entry}\n`);
    return lines.join("");
  });

/** The files in their order, but for the manifest, which lists them. */
const proofFiles = (reader: ProofReader, size: number): FileSource[] => [
  hourly("events.ndjson", reader, (hours) => hours.toReversed(), newestFirst),
  hourly(
    "leaves.ndjson",
    reader,
    (hours) => hours,
    (leaves) => leaves.map(toLine),
  ),
  entriesOf("records.ndjson", reader.listRecords),
  textOf("head.json", "application/json", async () => `${JSON.stringify(await reader.readHead())}\n`),
  entriesOf("log.ndjson", reader.listLog),
  textOf("checkpoint.txt", "text/plain; charset=utf-8", async () => {
    const checkpoint = await reader.checkpoints.read(size);
    if (checkpoint === undefined) throw new ProofFailedError("broken");
    return checkpoint;
  }),
  textOf("key.txt", "text/plain; charset=utf-8", async () => {
    const { origin } = await reader.readState();
    return (await reader.keys(origin)).map(({ line }) => `${line}\n`).join("");
  }),
];

/** @param files that are complete. @returns the file after them; undefined after the manifest. */
export const nextProofFile = (
  dependencies: ProofSourceDependencies,
  { exportId, ...proved }: Proved,
  files: readonly ExportedFile[],
): FileSource | undefined => {
  const sources = proofFiles(createProofReader(dependencies, proved), proved.size);
  if (files.length > sources.length) return undefined;
  const { organizationId, filter } = proved;
  const manifest = async () => ({
    organizationId,
    exportId,
    since: filter.since,
    until: filter.until,
    files: files.map(({ name, count, bytes, sha256 }) => ({ name, count, bytes, sha256 })),
  });
  return sources[files.length] ?? jsonOf("manifest.json", manifest);
};
