/**
 * The write-ahead log of an SQLite database (`FILE-wal`), which a killed process leaves behind. SQLite silently ignores
 * what follows the first damaged frame. So the number of whole frames is compared with the number that the log's
 * index (`FILE-shm`) has. Format: https://sqlite.org/fileformat2.html#walformat and https://sqlite.org/walformat.html
 */
import { readFileSync } from "node:fs";
import { codeOf } from "../core/data-file.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC_LITTLE_ENDIAN = 0x377f0682;
const MAGIC_BIG_ENDIAN = 0x377f0683;
/** Positions in the index, whose numbers have the machine's byte order. */
const INDEX_FRAMES_AT = 16;
const INDEX_HEADER_BYTES = 48;

type Checksum = [number, number];

/** Continues a checksum over whole pairs of 32-bit words. */
const addTo = ([first, second]: Checksum, bytes: Buffer, littleEndian: boolean): Checksum => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let one = first;
  let two = second;
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, littleEndian) + two) | 0;
    two = (two + view.getUint32(at + 4, littleEndian) + one) | 0;
  }
  return [one, two];
};

const equals = ([first, second]: Checksum, log: Buffer, at: number): boolean =>
  first === log.readInt32BE(at) && second === log.readInt32BE(at + 4);

/** The number of frames up to the last whole commit. */
const committedFrames = (log: Buffer): number => {
  if (log.length < HEADER_BYTES) return 0;
  const magic = log.readUInt32BE(0);
  const pageBytes = log.readUInt32BE(8);
  if (magic !== MAGIC_LITTLE_ENDIAN && magic !== MAGIC_BIG_ENDIAN) return 0;
  if (pageBytes < 512 || pageBytes > 65_536) return 0;
  const littleEndian = magic === MAGIC_LITTLE_ENDIAN;
  let checksum = addTo([0, 0], log.subarray(0, 24), littleEndian);
  if (!equals(checksum, log, 24)) return 0;
  const salt = log.subarray(16, 24);
  let committed = 0;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  for (let at = HEADER_BYTES, frame = 1; at + frameBytes <= log.length; at += frameBytes, frame++) {
    const page = log.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
    checksum = addTo(addTo(checksum, log.subarray(at, at + 8), littleEndian), page, littleEndian);
    if (!log.subarray(at + 8, at + 16).equals(salt) || !equals(checksum, log, at + 16)) break;
    if (log.readUInt32BE(at + 4) > 0) committed = frame;
  }
  return committed;
};

const read = (file: string): Buffer => {
  try {
    return readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
};

/** A database with commits in its write-ahead log is larger than its file says. */
export const hasWriteAheadLog = (databaseFile: string): boolean => read(`${databaseFile}-wal`).length > 0;

/** @returns a text that completes "FILE-wal …" if commits of a killed process are lost; else undefined. */
export const findLostCommits = (databaseFile: string): string | undefined => {
  const index = read(`${databaseFile}-shm`);
  const [header, copy] = [
    index.subarray(0, INDEX_HEADER_BYTES),
    index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES),
  ];
  // The header is written twice. A kill between the two leaves them unequal.
  const expected = header.length > 0 && header.equals(copy) ? header.readUInt32LE(INDEX_FRAMES_AT) : 0;
  if (expected === 0) return undefined;
  const found = committedFrames(read(`${databaseFile}-wal`));
  return found >= expected ? undefined : `is damaged or missing (${found} of ${expected} written pages are whole)`;
};
