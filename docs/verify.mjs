#!/usr/bin/env node
/**
 * Checks an export of security events that was made with `proof: true`: that each event is as it was sealed, that none is
 * missing or added, and that the hours belong to a log whose checkpoint is signed. It imports nothing but Node's own
 * modules, so that it can be read and run anywhere, offline. Node 20 or later.
 *
 * Trees are those of RFC 9162, section 2.1; canonical JSON is RFC 8785 (JCS), here for numbers, texts, arrays and objects
 * as the service writes them; checkpoints are C2SP tlog-checkpoint and signed-note (https://c2sp.org). All hashes are
 * SHA-256. The files: docs/evidence.md of the service.
 */
import { createHash, createPublicKey, verify as verifySignature } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";

const USAGE = `Usage: node verify.mjs <folder> [--key <verifier key or file>] [--witnessed <file>]

Checks the files of an export with proof, offline.

  <folder>      contains manifest.json and the files that it names
  --key         a verifier key (name+id+base64), or a file with one a line, that you know from elsewhere.
                Without it, the key of the folder is used, and the result says so.
  --witnessed   a file of checkpoints that you kept earlier, separated by empty lines: the log must contain them

Exit codes: 0 verified, 1 refused, 2 wrong use.`;

const HOUR_MS = 3_600_000;
const MIN_SLOTS = 1_024;

/** The fields of an event that change after it was sealed, or are not sealed. */
const UNSEALED = ["alertId", "processed", "processedAt", "alertGenerated", "alertLevel"];

class Refusal extends Error {
  constructor(kind, place, sentence) {
    super(`${kind} at ${place}: ${sentence}`);
  }
}
const refuse = (kind, place, sentence) => {
  throw new Refusal(kind, place, sentence);
};

// --- Trees -----------------------------------------------------------------------------------------------------------

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);
const leafHash = (...entry) => sha256(LEAF, ...entry);
const nodeHash = (left, right) => sha256(NODE, left, right);

/** A tree that grows to the right. It keeps the roots of its full subtrees only, the largest first. */
class GrowingTree {
  size = 0;
  #subtrees = [];

  push(hash) {
    let node = hash;
    for (let rest = this.size; rest % 2 === 1; rest = Math.floor(rest / 2)) node = nodeHash(this.#subtrees.pop(), node);
    this.#subtrees.push(node);
    this.size += 1;
  }

  root() {
    if (this.size === 0) return sha256();
    return this.#subtrees.reduceRight((right, left) => nodeHash(left, right));
  }
}

const rootOf = (hashes) => {
  const tree = new GrowingTree();
  for (const hash of hashes) tree.push(hash);
  return tree.root();
};

// --- JSON ------------------------------------------------------------------------------------------------------------

/** Parses JSON without losing anything: integers that a double does not hold become the text of their digits. */
class JsonParser {
  #text;
  #at = 0;
  #place;

  constructor(text, place) {
    this.#text = text;
    this.#place = place;
  }

  parse() {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("It goes on after its end.");
    return value;
  }

  #fail(sentence) {
    refuse("json", this.#place, sentence);
  }

  #skipSpace() {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #take(expected) {
    if (!this.#text.startsWith(expected, this.#at)) this.#fail("It is not JSON.");
    this.#at += expected.length;
  }

  #value(depth) {
    if (depth > 200) this.#fail("It is nested too deeply.");
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    if (first === '"') return this.#string();
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ]) {
      if (first === word[0]) {
        this.#take(word);
        return value;
      }
    }
    return this.#number();
  }

  /** The members between two brackets, separated by commas. */
  #members(open, close, readMember) {
    this.#take(open);
    this.#skipSpace();
    if (this.#text[this.#at] !== close) {
      readMember();
      this.#skipSpace();
      while (this.#text[this.#at] === ",") {
        this.#at += 1;
        readMember();
        this.#skipSpace();
      }
    }
    this.#take(close);
  }

  #object(depth) {
    const members = new Map();
    this.#members("{", "}", () => {
      this.#skipSpace();
      const name = this.#string();
      if (members.has(name)) this.#fail(`The member ${JSON.stringify(name)} is there twice.`);
      this.#skipSpace();
      this.#take(":");
      members.set(name, this.#value(depth + 1));
    });
    return members;
  }

  #array(depth) {
    const elements = [];
    this.#members("[", "]", () => elements.push(this.#value(depth + 1)));
    return elements;
  }

  #string() {
    const token = /"(?:[^"\\]+|\\[\s\S])*"/y;
    token.lastIndex = this.#at;
    const [source] = token.exec(this.#text) ?? this.#fail("A text is not JSON.");
    this.#at += source.length;
    const text = this.#unescape(source);
    if (!text.isWellFormed()) this.#fail("A text has a lone surrogate.");
    return text;
  }

  #unescape(source) {
    try {
      return JSON.parse(source);
    } catch {
      return this.#fail("A text is not JSON.");
    }
  }

  #number() {
    const token = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
    token.lastIndex = this.#at;
    const [source, fraction, exponent] = token.exec(this.#text) ?? this.#fail("It is not JSON.");
    this.#at += source.length;
    const number = Number(source);
    if (!Number.isFinite(number)) this.#fail("A number is too large.");
    const isInteger = fraction === undefined && exponent === undefined;
    return isInteger && !Number.isSafeInteger(number) ? source : number;
  }
}

const byName = ([one], [other]) => (one < other ? -1 : 1);

/** RFC 8785. JSON.stringify writes numbers and texts as ECMAScript does, which JCS adopts. */
const canonical = (value) => {
  if (value instanceof Map) {
    const members = [...value].sort(byName).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
    return `{${members.join(",")}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  return JSON.stringify(value);
};

// --- Values of the files ---------------------------------------------------------------------------------------------

const parseObject = (text, place) => {
  const value = new JsonParser(text, place).parse();
  if (!(value instanceof Map)) refuse("json", place, "It is not an object.");
  return value;
};

const isText = (value) => typeof value === "string" && value !== "";
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isHour = (value) => isCount(value) && value % HOUR_MS === 0;
const isBytes = (length) => (value) => {
  if (typeof value !== "string") return false;
  const bytes = Buffer.from(value, "base64");
  return bytes.length === length && bytes.toString("base64") === value;
};
const isHash = isBytes(32);
const isArray = (value) => Array.isArray(value);

/** The members of an object, which must be exactly those of `checks`, each as its check wants it. */
const membersOf = (object, checks, place) => {
  const members = {};
  for (const [name, check] of Object.entries(checks)) {
    if (!object.has(name)) refuse("shape", place, `The member "${name}" is missing.`);
    const value = object.get(name);
    if (!check(value)) refuse("shape", place, `The member "${name}" is not what it must be.`);
    members[name] = value;
  }
  const unknown = [...object.keys()].find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) refuse("shape", place, `The member ${JSON.stringify(unknown)} does not belong there.`);
  return members;
};

const listAt = (lists, key) => {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
};

const bytesOf = (base64) => Buffer.from(base64, "base64");
const timeOf = (hour) => new Date(hour).toISOString();

// --- Files -----------------------------------------------------------------------------------------------------------

const CHUNK_BYTES = 1 << 20;
const MAX_LINE_BYTES = 16 << 20;

const decode = (bytes, place) => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("utf8", place, "It is not valid UTF-8.");
  }
};

const openFile = (folder, name) => {
  const path = join(folder, name);
  if (!existsSync(path) || !statSync(path).isFile()) refuse("missing", name, "The file is missing.");
  return openSync(path, "r");
};

const checkFile = (name, { size, digest }, { bytes, expected }) => {
  if (size !== bytes) refuse("manifest", name, `The file has ${size} bytes; the manifest says ${bytes}.`);
  if (digest !== expected) refuse("manifest", name, "The file's SHA-256 is not the manifest's.");
};

/**
 * The lines of a file, without their line feeds. At the end the file is compared with the manifest's entry, so that it is
 * read once, whatever its size.
 */
const linesOf = function* (folder, { name, bytes, sha256: expected, count }) {
  const file = openFile(folder, name);
  const hash = createHash("sha256");
  let size = 0;
  let lines = 0;
  let rest = Buffer.alloc(0);
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const read = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (read === 0) break;
      size += read;
      hash.update(chunk.subarray(0, read));
      rest = rest.length === 0 ? chunk.subarray(0, read) : Buffer.concat([rest, chunk.subarray(0, read)]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        lines += 1;
        yield [decode(rest.subarray(0, end), `${name}:${lines}`), `${name}:${lines}`];
        rest = rest.subarray(end + 1);
      }
      if (rest.length > MAX_LINE_BYTES) refuse("shape", `${name}:${lines + 1}`, "The line is too long.");
    }
  } finally {
    closeSync(file);
  }
  if (rest.length > 0) refuse("shape", `${name}:${lines + 1}`, "The last line does not end.");
  checkFile(name, { size, digest: hash.digest("hex") }, { bytes, expected });
  if (lines !== count) refuse("count", name, `The file has ${lines} entries; the manifest says ${count}.`);
};

/** A small file as text, compared with the manifest's entry, which counts it as one entry or by its lines. */
const textOf = (folder, { name, bytes, sha256: expected, count }) => {
  closeSync(openFile(folder, name));
  const content = readFileSync(join(folder, name));
  checkFile(name, { size: content.length, digest: sha256(content).toString("hex") }, { bytes, expected });
  const text = decode(content, name);
  const lines = text.split("\n").length - 1;
  if (count !== 1 && count !== lines) refuse("count", name, `The file has ${lines} lines; the manifest says ${count}.`);
  return text;
};

const FILES = [
  "events.ndjson",
  "leaves.ndjson",
  "records.ndjson",
  "head.json",
  "log.ndjson",
  "checkpoint.txt",
  "key.txt",
];

const MANIFEST = {
  organizationId: isText,
  exportId: isText,
  since: isHour,
  until: isHour,
  files: isArray,
};
const MANIFEST_FILE = {
  name: (name) => FILES.includes(name),
  count: isCount,
  bytes: isCount,
  sha256: (hex) => typeof hex === "string" && /^[0-9a-f]{64}$/.test(hex),
};

const readManifest = (folder) => {
  const name = "manifest.json";
  const file = openFile(folder, name);
  const text = decode(readFileSync(file), name);
  closeSync(file);
  const manifest = membersOf(parseObject(text, name), MANIFEST, name);
  if (manifest.since >= manifest.until) refuse("shape", name, "The span is empty.");
  const entries = new Map();
  for (const element of manifest.files) {
    if (!(element instanceof Map)) refuse("shape", name, "An element of the files is not an object.");
    const entry = membersOf(element, MANIFEST_FILE, name);
    if (entries.has(entry.name)) refuse("manifest", name, `The file ${entry.name} is there twice.`);
    entries.set(entry.name, entry);
  }
  const missing = FILES.find((file) => !entries.has(file));
  if (missing !== undefined) refuse("missing", missing, "The manifest does not name the file.");
  return { ...manifest, entryOf: (file) => entries.get(file) };
};

// --- Keys and checkpoints --------------------------------------------------------------------------------------------

const ED25519 = 1;
/** The DER of an Ed25519 public key but for its 32 bytes (RFC 8410). */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");

/** @param line `name+id+base64` of C2SP signed-note. */
const parseKey = (line, place) => {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
  if (name === undefined || !isBytes(33)(base64)) refuse("key", place, "It is not a verifier key.");
  const bytes = bytesOf(base64);
  if (bytes[0] !== ED25519) refuse("key", place, "The key is not of type Ed25519.");
  const computed = sha256(`${name}\n`, bytes).subarray(0, 4).toString("hex");
  if (computed !== id) refuse("key", place, "The key's id is not that of its bytes.");
  const spki = Buffer.concat([SPKI, bytes.subarray(1)]);
  return { name, id, key: createPublicKey({ key: spki, format: "der", type: "spki" }) };
};

const parseKeys = (text, place) => {
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length === 0) refuse("key", place, "There is no key.");
  return lines.map((line, index) => parseKey(line, `${place}:${index + 1}`));
};

const CHECKPOINT = /^([^\n]+)\n(0|[1-9][0-9]*)\n([A-Za-z0-9+/]+=*)\n\n((?:— [^\n ]+ [^\n ]+\n)+)$/;

/** A checkpoint that one of the keys has signed. A wrong signature by a known key is refused, as signed-note wants it. */
const openCheckpoint = (text, keys, place) => {
  const [, origin, digits, root, signatures] = CHECKPOINT.exec(text) ?? [];
  const size = Number(digits);
  if (origin === undefined || !isHash(root) || !Number.isSafeInteger(size))
    refuse("checkpoint", place, "It is not a checkpoint.");
  const body = Buffer.from(text.slice(0, text.length - signatures.length - 1));
  let isSigned = false;
  for (const line of signatures.trimEnd().split("\n")) {
    const [, name, base64] = line.split(" ");
    const signature = bytesOf(base64);
    if (signature.length < 5 || signature.toString("base64") !== base64)
      refuse("signature", place, "A signature is not base64.");
    const known = keys.filter(({ name: own, id }) => own === name && id === signature.subarray(0, 4).toString("hex"));
    for (const { key } of known) {
      if (name !== origin || !verifySignature(null, body, key, signature.subarray(4)))
        refuse("signature", place, "The signature is not the key's.");
      isSigned = true;
    }
  }
  if (!isSigned) refuse("signature", place, "No known key has signed it.");
  return { origin, size, root: bytesOf(root) };
};

// --- The log of the deployment ---------------------------------------------------------------------------------------

const LOG_LEAF = { hour: isHour, root: isHash };

/** A line of records or log must be the canonical bytes: they are what is hashed. */
const parseCanonical = (line, checks, place) => {
  const object = parseObject(line, place);
  if (canonical(object) !== line) refuse("canonical", place, "The line is not canonical JSON.");
  return membersOf(object, checks, place);
};

/** @param witnessed sizes whose roots are wanted. */
const readLog = (folder, entry, witnessed) => {
  const tree = new GrowingTree();
  const rootsOfSizes = new Map();
  const hours = [];
  let last;
  if (witnessed.has(0)) rootsOfSizes.set(0, tree.root());
  for (const [line, place] of linesOf(folder, entry)) {
    const leaf = parseCanonical(line, LOG_LEAF, place);
    if (last !== undefined && leaf.hour !== last.hour + HOUR_MS)
      refuse("log", place, "The hour does not follow the one before.");
    tree.push(leafHash(line));
    hours.push(leaf.hour);
    last = leaf;
    if (witnessed.has(tree.size)) rootsOfSizes.set(tree.size, tree.root());
  }
  if (last === undefined) refuse("log", entry.name, "The log is empty.");
  return { hours, last, size: tree.size, root: tree.root(), rootsOfSizes };
};

const readWitnessed = (path, keys) => {
  if (path === undefined) return [];
  const place = basename(path);
  const text = `${decode(readFileSync(path), place).trimEnd()}\n`;
  const notes = text.match(/[^\n][\s\S]*?\n\n(?:— [^\n]*\n)+/g) ?? [];
  if (notes.length === 0 || notes.join("").replaceAll("\n", "") !== text.replaceAll("\n", ""))
    refuse("witness", place, "It is not a list of checkpoints.");
  return notes.map((note, index) => openCheckpoint(note, keys, `${place} checkpoint ${index + 1}`));
};

const compareWitnessed = (witnessed, { origin, size }, log) => {
  const comparable = witnessed.filter((checkpoint) => checkpoint.size <= size);
  if (witnessed.length > 0 && comparable.length === 0)
    refuse("witness", "the witnessed checkpoints", "All are larger than the export's, so none can be compared.");
  for (const checkpoint of comparable) {
    const place = `the witnessed checkpoint of size ${checkpoint.size}`;
    if (checkpoint.origin !== origin) refuse("witness", place, "It is of another log.");
    if (!checkpoint.root.equals(log.rootsOfSizes.get(checkpoint.size)))
      refuse("witness", place, "The log no longer contains what was witnessed.");
  }
};

// --- The log of the organization -------------------------------------------------------------------------------------

const RECORD = {
  organizationId: isText,
  hour: isHour,
  version: (version) => isCount(version) && version > 0,
  count: isCount,
  root: isHash,
  erased: isCount,
  erasedRoot: isHash,
  step: isCount,
};

const sameHash = (one, other) => one.equals(bytesOf(other));

/** All records, and the versions of each hour of the span in their order. */
const readRecords = (folder, { organizationId, since, until, entryOf }, log) => {
  const tree = new GrowingTree();
  const newest = new Map();
  const versions = new Map();
  let step = 0;
  for (const [line, place] of linesOf(folder, entryOf("records.ndjson"))) {
    const record = parseCanonical(line, RECORD, place);
    const before = newest.get(record.hour);
    if (record.organizationId !== organizationId) refuse("record", place, "It is another organization's.");
    if (record.version !== (before?.version ?? 0) + 1) refuse("record", place, "The version does not follow.");
    if (record.count < (before?.count ?? 1)) refuse("record", place, "The hour lost events.");
    if (record.erased < (before?.erased ?? 0) || record.erased > record.count)
      refuse("record", place, "The number of erased events is impossible.");
    if (record.step < step || record.step >= log.size) refuse("record", place, "The step does not follow.");
    if (record.hour < log.hours[0] || record.hour > log.hours[record.step])
      refuse("record", place, "The hour is not one that its step could seal.");
    step = record.step;
    tree.push(leafHash(line));
    newest.set(record.hour, record);
    if (record.hour >= since && record.hour < until) listAt(versions, record.hour).push(record);
  }
  return { versions, size: tree.size, root: tree.root() };
};

const HEAD = {
  hour: isHour,
  log: isBytes(16),
  root: isHash,
  size: isCount,
  index: isCount,
  slots: isCount,
  path: (path) => isArray(path) && path.every(isHash),
};

/** The organization's head must be in its slot below the newest leaf of the deployment's log. */
const checkHead = (folder, entry, records, log) => {
  const { name } = entry;
  const head = membersOf(parseObject(textOf(folder, entry), name), HEAD, name);
  const { hour, size, index, slots, path } = head;
  if (hour !== log.last.hour) refuse("head", name, "It is not of the log's newest hour.");
  if (size !== records.size) refuse("head", name, `It counts ${size} records; there are ${records.size}.`);
  if (!sameHash(records.root, head.root)) refuse("head", name, "The records are not those that were sealed.");
  if (slots < MIN_SLOTS || 2 ** path.length !== slots || index >= slots)
    refuse("head", name, "The slot is not one of the tree.");
  const sealed = new Map([
    ["hour", hour],
    ["log", head.log],
    ["root", head.root],
    ["size", size],
  ]);
  let node = leafHash(canonical(sealed));
  let position = index;
  for (const sibling of path.map(bytesOf)) {
    node = position % 2 === 0 ? nodeHash(node, sibling) : nodeHash(sibling, node);
    position = Math.floor(position / 2);
  }
  if (!sameHash(node, log.last.root)) refuse("head", name, "The organization's head is not in the signed tree.");
};

// --- Events ----------------------------------------------------------------------------------------------------------

const LEAF_OF_EVENT = { hour: isHour, index: isCount, id: isText, salt: isBytes(16) };
const LEAF_OF_EMPTIED = { ...LEAF_OF_EVENT, hash: isHash, erasure: isText };

/** The leaves of the span by hour and by event. An hour's leaves are in order of their index. */
const readLeaves = (folder, { since, until, entryOf }) => {
  const byHour = new Map();
  const byId = new Map();
  let last = { hour: -1, index: -1 };
  for (const [line, place] of linesOf(folder, entryOf("leaves.ndjson"))) {
    const object = parseObject(line, place);
    const leaf = membersOf(object, object.has("hash") ? LEAF_OF_EMPTIED : LEAF_OF_EVENT, place);
    const { hour, index, id } = leaf;
    if (hour < since || hour >= until) refuse("leaf", place, "Its hour is outside the span.");
    if (index !== (hour === last.hour ? last.index + 1 : 0) || hour < last.hour)
      refuse("leaf", place, "It does not follow the leaf before.");
    if (byId.has(id)) refuse("leaf", place, "The event has another leaf.");
    last = leaf;
    byId.set(id, leaf);
    listAt(byHour, hour).push(leaf);
  }
  return { byHour, byId };
};

/** Gives each leaf the hash of its event. */
const readEvents = (folder, { organizationId, entryOf }, byId) => {
  let before = Number.POSITIVE_INFINITY;
  let count = 0;
  for (const [line, place] of linesOf(folder, entryOf("events.ndjson"))) {
    const event = parseObject(line, place);
    const [id, timestamp] = [event.get("id"), event.get("timestamp")];
    if (!isText(id) || !isCount(timestamp)) refuse("shape", place, "It is not an event.");
    const leaf = byId.get(id);
    if (leaf === undefined) refuse("event", place, `The event ${id} was not sealed.`);
    if (leaf.ofEvent !== undefined) refuse("event", place, `The event ${id} is there twice.`);
    if (event.get("organizationId") !== organizationId)
      refuse("event", place, `The event ${id} is another organization's.`);
    if (Math.floor(timestamp / HOUR_MS) * HOUR_MS !== leaf.hour)
      refuse("event", place, `The event ${id} is of another hour than its leaf.`);
    if (timestamp > before) refuse("event", place, "The events are not in order, newest first.");
    before = timestamp;
    for (const name of UNSEALED) event.delete(name);
    leaf.ofEvent = leafHash(bytesOf(leaf.salt), canonical(event));
    count += 1;
  }
  return count;
};

/** The leaves of a version's new events are in order of their ids. */
const isInOrder = (leaves) => leaves.every(({ id }, index) => index === 0 || leaves[index - 1].id < id);

const checkHour = (hour, leaves, versions) => {
  const place = `the hour ${timeOf(hour)}`;
  const { count, erased, erasedRoot } = versions.at(-1);
  if (leaves.length !== count) refuse("count", place, `It has ${leaves.length} leaves; ${count} were sealed.`);
  const missing = leaves.find(({ ofEvent }) => ofEvent === undefined);
  if (missing !== undefined) refuse("event", place, `The event ${missing.id} is missing.`);
  const tree = new GrowingTree();
  for (const [index, version] of versions.entries()) {
    const added = leaves.slice(tree.size, version.count);
    const fromSize = tree.size;
    for (const { hash, ofEvent } of added) tree.push(hash === undefined ? ofEvent : bytesOf(hash));
    if (!sameHash(tree.root(), version.root))
      refuse(
        "events",
        place,
        `The events ${fromSize} to ${version.count - 1} are not those that version ${index + 1} sealed.`,
      );
    if (!isInOrder(added)) refuse("leaf", place, "The leaves are not in order of the events' ids.");
  }
  const emptied = leaves.filter((leaf) => leaf.hash !== undefined);
  if (emptied.length !== erased)
    refuse("erasure", place, `${emptied.length} events are erased; ${erased} were sealed as erased.`);
  const entries = emptied.map(({ index, erasure, ofEvent }) => {
    const members = new Map([
      ["index", index],
      ["erasure", erasure],
      ["event", ofEvent.toString("base64")],
    ]);
    return leafHash(canonical(members));
  });
  if (!sameHash(rootOf(entries), erasedRoot))
    refuse("erasure", place, "The erased events are not those that were sealed as erased.");
  return emptied;
};

const checkSpan = ({ since, until }, log) => {
  const sealed = `${timeOf(log.hours[0])} to ${timeOf(log.last.hour + HOUR_MS)}`;
  if (since < log.hours[0] || until > log.last.hour + HOUR_MS)
    refuse("span", "manifest.json", `The span reaches beyond what is sealed, ${sealed}.`);
};

// --- The command -----------------------------------------------------------------------------------------------------

const verify = (folder, { key, witnessed: witnessedPath }) => {
  const manifest = readManifest(folder);
  const { entryOf, organizationId, since, until } = manifest;
  const ownKeys = textOf(folder, entryOf("key.txt"));
  const keys = key === undefined ? parseKeys(ownKeys, "key.txt") : parseKeys(key.text, key.place);
  parseKeys(ownKeys, "key.txt");
  const checkpoint = openCheckpoint(textOf(folder, entryOf("checkpoint.txt")), keys, "checkpoint.txt");
  const witnessed = readWitnessed(witnessedPath, keys);
  const log = readLog(folder, entryOf("log.ndjson"), new Set(witnessed.map(({ size }) => size)));
  if (log.size !== checkpoint.size)
    refuse("log", "log.ndjson", `It has ${log.size} leaves; the checkpoint has ${checkpoint.size}.`);
  if (!log.root.equals(checkpoint.root)) refuse("log", "log.ndjson", "It is not the log that was signed.");
  compareWitnessed(witnessed, checkpoint, log);
  checkSpan(manifest, log);
  const records = readRecords(folder, manifest, log);
  checkHead(folder, entryOf("head.json"), records, log);
  const { byHour, byId } = readLeaves(folder, manifest);
  const events = readEvents(folder, manifest, byId);
  const unsealed = [...byHour.keys()].find((hour) => !records.versions.has(hour));
  if (unsealed !== undefined) refuse("record", `the hour ${timeOf(unsealed)}`, "It has leaves and no record.");
  const emptied = [...records.versions].flatMap(([hour, versions]) =>
    checkHour(hour, byHour.get(hour) ?? [], versions),
  );
  const erasures = [...new Set(emptied.map(({ erasure }) => erasure))];
  return [
    `verified: organization ${JSON.stringify(organizationId)}`,
    `since ${timeOf(since)}`,
    `until ${timeOf(until)}`,
    `${events} events`,
    `${emptied.length} erased${erasures.length === 0 ? "" : ` by ${erasures.join(", ")}`}`,
    `log size ${log.size}`,
    ...(key === undefined ? ["signed by the folder's own key, which nothing else vouches for"] : []),
    `not proved: ${UNSEALED.join(", ")}`,
  ].join("; ");
};

class WrongUse extends Error {}

const parseArguments = (words) => {
  const options = {};
  let folder;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "--key" || word === "--witnessed") {
      const value = words[at + 1];
      if (value === undefined || options[word.slice(2)] !== undefined) throw new WrongUse(`${word} takes one value.`);
      options[word.slice(2)] = value;
      at += 1;
    } else if (word.startsWith("-") || folder !== undefined) throw new WrongUse(`${word} is not understood.`);
    else folder = word;
  }
  if (folder === undefined) throw new WrongUse("The folder is missing.");
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new WrongUse(`${folder} is not a folder.`);
  if (options.witnessed !== undefined && !existsSync(options.witnessed))
    throw new WrongUse(`${options.witnessed} is not a file.`);
  return { folder, ...options };
};

/** A verifier key, or a file of them: no file name looks like a key. */
const readKey = (value) => {
  if (value === undefined) return undefined;
  if (existsSync(value)) return { text: readFileSync(value, "utf8"), place: basename(value) };
  if (!/\+[0-9a-f]{8}\+/.test(value)) throw new WrongUse(`${value} is neither a verifier key nor a file.`);
  return { text: value, place: "--key" };
};

const main = (words) => {
  if (words.includes("--help") || words.includes("-h")) {
    console.log(USAGE);
    return 0;
  }
  try {
    const { folder, key, witnessed } = parseArguments(words);
    console.log(verify(folder, { key: readKey(key), witnessed }));
    return 0;
  } catch (error) {
    if (error instanceof Refusal) {
      console.log(`refused: ${error.message}`);
      return 1;
    }
    if (!(error instanceof WrongUse)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return 2;
  }
};

process.exitCode = main(process.argv.slice(2));
