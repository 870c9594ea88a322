/** The verifier against exports that are whole, and against forgers who know the files' format. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { HOUR_MS } from "../../shared/terms/hours.ts";
import { sampleOf } from "../support/depth.ts";
import { newDirectory } from "../support/temporary-directory.ts";
import { copyProof, type ProofFolder, sorted } from "./proof-folder.ts";
import { createSealedWorld, ORIGIN } from "./sealed-world.ts";

const START = Date.UTC(2026, 10, 21, 10);
const VERIFIER = join(import.meta.dirname, "../../docs/verify.mjs");
const AT = (hours: number, minutes = 0) => START + hours * HOUR_MS + minutes * 60_000;

const run = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [VERIFIER, ...words], { encoding: "utf8" });
  return { status, out: stdout.trimEnd(), stderr };
};

let counter = 0;
const event = (organizationId: string, timestamp: number, fields: Partial<SecurityEvent> = {}): SecurityEvent => ({
  id: `${timestamp.toString(36).toUpperCase().padStart(10, "0")}${(counter++).toString(36).toUpperCase().padStart(16, "0")}`,
  organizationId,
  userId: "ada",
  eventType: "DATA_READ",
  category: "data_access",
  riskLevel: "LOW",
  source: "user",
  ipAddress: "198.51.100.7",
  success: true,
  processed: false,
  alertGenerated: false,
  timestamp,
  createdAt: timestamp,
  metadata: { records: 3, amount: 12_345_678_901_234_567_000, share: 0.1, "ключ\u2028": '€ \\ "' },
  ...fields,
});

/**
 * Two organizations over eight hours. `acme` has events in the hours 0, 1, 2, 4, 5 and 7; hour 3 is idle; two events come
 * late for hour 1; an erasure empties bob's events, one of them in the late version.
 */
const makeWorld = () => {
  const world = createSealedWorld(START);
  const record = (id: string, hour: number, minute: number, fields?: Partial<SecurityEvent>) =>
    world.record(event(id, AT(hour, minute), fields));
  for (const [hour, count] of [
    [0, 3],
    [1, 5],
    [2, 1],
    [4, 2],
    [5, 8],
    [7, 4],
  ] as const)
    for (let i = 0; i < count; i++) record("acme", hour, i * 5, i === 1 ? { userId: "bob" } : {});
  for (let hour = 0; hour < 8; hour++) record("other", hour, 30);
  for (let hour = 0; hour < 4; hour++) world.step();
  record("acme", 1, 1, { userId: "bob" });
  record("acme", 1, 59);
  for (let hour = 4; hour < 6; hour++) world.step();
  world.erase("acme", "erasure-1", ({ userId }) => userId === "bob");
  for (let hour = 6; hour < 8; hour++) world.step();
  return world;
};

const SPAN = { since: AT(0), until: AT(8) };
let root: string;
let whole: string;
let others: string;
let world: ReturnType<typeof makeWorld>;
let knownKey: string;

beforeAll(() => {
  root = newDirectory("proofs-");
  world = makeWorld();
  [knownKey] = world.verifierKeys() as [string];
  whole = join(root, "whole");
  world.export(whole, "acme", SPAN);
  others = join(root, "others");
  world.export(others, "other", SPAN);
});

const copy = () => copyProof(whole, mkdtempSync(join(root, "copy-")));

describe("the verifier accepts", () => {
  it("a whole export, and says what it proves", () => {
    expect(run(whole, "--key", knownKey)).toEqual({
      status: 0,
      out:
        'verified: organization "acme"; since 2026-11-21T10:00:00.000Z; until 2026-11-21T18:00:00.000Z; 25 events; ' +
        "5 erased by erasure-1; log size 8; not proved: alertId, processed, processedAt, alertGenerated, alertLevel",
      stderr: "",
    });
  });

  it("the folder's own key, and says that nothing else vouches for it", () => {
    expect(run(whole)).toMatchObject({ status: 0, out: expect.stringContaining("signed by the folder's own key") });
  });

  it.each([
    ["a part of the hours", { since: AT(1), until: AT(3) }, 8],
    ["an idle hour alone", { since: AT(3), until: AT(4) }, 0],
    ["the newest hour", { since: AT(7), until: AT(8) }, 4],
  ])("%s", (_name, span, events) => {
    const folder = mkdtempSync(join(root, "part-"));
    world.export(folder, "acme", span);
    expect(run(folder, "--key", knownKey)).toMatchObject({
      status: 0,
      out: expect.stringContaining(`; ${events} events; `),
    });
  });

  it("proofs from before an erasure, after it, with a second key and with what a witness kept", () => {
    const own = createSealedWorld(START);
    const [folder, key] = [mkdtempSync(join(root, "erasure-")), own.verifierKeys().join()];
    for (const hour of [0, 1]) own.record(event("acme", AT(hour)));
    own.step();
    own.export(join(folder, "before"), "acme", { since: AT(0), until: AT(1) });
    own.erase("acme", "erasure-2", () => true);
    own.addKey();
    own.step();
    own.export(join(folder, "after"), "acme", { since: AT(0), until: AT(2) });
    const witnessed = join(folder, "witnessed.txt");
    writeFileSync(witnessed, own.checkpoints().join("\n"));
    expect(run(join(folder, "before"), "--key", key).status).toBe(0);
    const [first, second] = own.verifierKeys() as [string, string];
    for (const one of [first, second]) expect(run(join(folder, "after"), "--key", one).status).toBe(0);
    writeFileSync(join(folder, "keys.txt"), `${first}\n${second}\n`);
    const all = run(join(folder, "after"), "--key", join(folder, "keys.txt"), "--witnessed", witnessed);
    expect(all).toMatchObject({ status: 0, out: expect.stringContaining("1 erased by erasure-2; log size 2") });
    // The older export does not reach as far as the newer checkpoint, which is not compared.
    expect(run(join(folder, "before"), "--key", key, "--witnessed", witnessed).status).toBe(0);
  });

  it("changes of what is not sealed", () => {
    const folder = copy();
    folder.change("events.ndjson", (events) =>
      events.map((one) => ({ ...one, processed: true, processedAt: 1, alertGenerated: true, alertLevel: "HIGH" })),
    );
    expect(run(folder.folder, "--key", knownKey).status).toBe(0);
  });
});

type Trick = readonly [name: string, play: (folder: ProofFolder) => unknown, refusal: RegExp];

const hourOf = (line: { hour?: unknown }) => line.hour;
const swap = <Item>(items: readonly Item[], one: number, other: number): Item[] =>
  items.map((item, index) => items[index === one ? other : index === other ? one : index] ?? item);

/** A text with one character of its base64 changed at a place. */
const flip = (text: unknown): string => {
  const [first = "", ...rest] = String(text);
  return (first === "A" ? "B" : "A") + rest.join("");
};

const onEvents: Trick[] = [
  [
    "changes an event",
    (folder) => folder.change("events.ndjson", ([first, ...rest]) => [{ ...first, userId: "eve" }, ...rest]),
    /^refused: events at the hour 2026-11-21T17:00:00.000Z/,
  ],
  [
    "changes a number within metadata",
    (folder) =>
      folder.change("events.ndjson", ([first, ...rest]) => [
        { ...first, metadata: { ...(first?.metadata as object), records: 4 } },
        ...rest,
      ]),
    /^refused: events at the hour/,
  ],
  [
    "changes the last digit of a large integer",
    (folder) =>
      folder.write(
        "events.ndjson",
        folder.read("events.ndjson").replace("12345678901234567000", "12345678901234567001"),
      ),
    /^refused: events at the hour/,
  ],
  [
    "takes a field away",
    (folder) => folder.change("events.ndjson", ([{ ipAddress, ...first } = {}, ...rest]) => [first, ...rest]),
    /^refused: events at the hour/,
  ],
  [
    "adds a field",
    (folder) => folder.change("events.ndjson", ([first, ...rest]) => [{ ...first, note: "x" }, ...rest]),
    /^refused: events at the hour/,
  ],
  [
    "removes an event",
    (folder) => folder.change("events.ndjson", (events) => events.filter((_, index) => index !== 3)),
    /^refused: event at the hour .* is missing/,
  ],
  [
    "removes the newest event with its leaf",
    (folder) => {
      folder.change("events.ndjson", (events) => events.slice(1));
      folder.change("leaves.ndjson", (leaves) => leaves.slice(0, -1));
    },
    /^refused: count at the hour 2026-11-21T17:00:00.000Z: It has 3 leaves; 4 were sealed/,
  ],
  [
    "adds an event",
    (folder) =>
      folder.change("events.ndjson", ([first, ...rest]) => [{ ...first, id: "Z".repeat(26) }, first ?? {}, ...rest]),
    /^refused: event at events.ndjson:1: The event Z+ was not sealed/,
  ],
  [
    "adds an event with a leaf",
    (folder) => {
      folder.change("events.ndjson", ([first, ...rest]) => [{ ...first, id: "Z".repeat(26) }, first ?? {}, ...rest]);
      folder.change("leaves.ndjson", (leaves) => [...leaves, { ...leaves.at(-1), index: 4, id: "Z".repeat(26) }]);
    },
    /^refused: count at the hour/,
  ],
  [
    "shows an event twice",
    (folder) => folder.change("events.ndjson", ([first = {}, ...rest]) => [first, first, ...rest]),
    /^refused: event at events.ndjson:2: .* is there twice/,
  ],
  [
    "moves an event to another hour",
    (folder) =>
      folder.change("events.ndjson", (events) =>
        events.map((one, index) => (index === events.length - 1 ? { ...one, timestamp: AT(-1) } : one)),
      ),
    /^refused: event at events.ndjson:25: .* of another hour than its leaf/,
  ],
  [
    "moves an event and its leaf to another hour",
    (folder) => {
      folder.change("events.ndjson", (events) =>
        events.map((one) => (one.timestamp === AT(2) ? { ...one, timestamp: AT(3) } : one)),
      );
      folder.change("leaves.ndjson", (leaves) =>
        leaves.map((one) => (one.hour === AT(2) ? { ...one, hour: AT(3) } : one)),
      );
    },
    /^refused: record at the hour 2026-11-21T13:00:00.000Z: It has leaves and no record/,
  ],
  [
    "swaps two hours",
    (folder) => {
      const other = new Map([
        [AT(0), AT(2)],
        [AT(2), AT(0)],
      ]);
      const moved = (hour: unknown) => other.get(Number(hour)) ?? Number(hour);
      folder.change("records.ndjson", (records) => records.map((one) => ({ ...one, hour: moved(one.hour) })), sorted);
    },
    /^refused: (record|head) at/,
  ],
  [
    "passes another organization's export as this one's",
    (folder) => {
      const events = copyProof(others, mkdtempSync(join(root, "other-")));
      for (const name of ["events.ndjson", "leaves.ndjson", "records.ndjson", "head.json"])
        folder.write(name, events.read(name));
    },
    /^refused: record at records.ndjson:1: It is another organization's/,
  ],
  [
    "renames another organization in everything",
    (folder) => {
      const events = copyProof(others, mkdtempSync(join(root, "other-")));
      for (const name of ["events.ndjson", "leaves.ndjson", "records.ndjson", "head.json"])
        folder.write(name, events.read(name).replaceAll('"other"', '"acme"'));
    },
    /^refused: head at head.json: The records are not those that were sealed/,
  ],
  [
    "puts an event of another organization in",
    (folder) => folder.change("events.ndjson", ([first, ...rest]) => [{ ...first, organizationId: "other" }, ...rest]),
    /^refused: event at events.ndjson:1: .* another organization's/,
  ],
  [
    "changes the order of the events",
    (folder) => folder.change("events.ndjson", (events) => swap(events, 0, 5)),
    /^refused: event at events.ndjson:\d+: The events are not in order/,
  ],
  [
    "removes a whole hour with its records",
    (folder) => {
      folder.change("events.ndjson", (events) => events.filter(({ timestamp }) => timestamp !== AT(2)));
      folder.change("leaves.ndjson", (leaves) => leaves.filter((leaf) => hourOf(leaf) !== AT(2)));
      folder.change("records.ndjson", (records) => records.filter((record) => hourOf(record) !== AT(2)), sorted);
    },
    /^refused: head at head.json: It counts/,
  ],
  [
    "removes a whole hour and its leaves",
    (folder) => {
      folder.change("events.ndjson", (events) => events.filter(({ timestamp }) => timestamp !== AT(2)));
      folder.change("leaves.ndjson", (leaves) => leaves.filter((leaf) => hourOf(leaf) !== AT(2)));
    },
    /^refused: count at the hour 2026-11-21T12:00:00.000Z: It has 0 leaves; 1 were sealed/,
  ],
];

const onLeaves: Trick[] = [
  [
    "swaps two leaves",
    (folder) =>
      folder.change("leaves.ndjson", (leaves) =>
        swap(leaves, 0, 1).map((leaf, at) => ({ ...leaf, index: leaves[at]?.index })),
      ),
    /^refused: (events|event|leaf) at the hour 2026-11-21T10/,
  ],
  [
    "changes a salt",
    (folder) => folder.change("leaves.ndjson", ([first, ...rest]) => [{ ...first, salt: flip(first?.salt) }, ...rest]),
    /^refused: events at the hour 2026-11-21T10/,
  ],
  [
    "leaves an index out",
    (folder) =>
      folder.change("leaves.ndjson", (leaves) => leaves.map((leaf, at) => (at === 2 ? { ...leaf, index: 3 } : leaf))),
    /^refused: leaf at leaves.ndjson:3: It does not follow/,
  ],
  [
    "gives an event two leaves",
    (folder) =>
      folder.change("leaves.ndjson", (leaves) =>
        leaves.map((leaf, at) => (at === 2 ? { ...leaf, id: leaves[1]?.id } : leaf)),
      ),
    /^refused: leaf at leaves.ndjson:3: The event has another leaf/,
  ],
  [
    "restores an erased event's leaf",
    (folder) => folder.change("leaves.ndjson", (leaves) => leaves.map(({ hash, erasure, ...leaf }) => leaf)),
    /^refused: events at the hour 2026-11-21T10/,
  ],
  [
    "restores the content of an erased event",
    (folder) => {
      const erased = new Set(
        folder
          .lines("leaves.ndjson")
          .filter((line) => line.includes("erasure"))
          .map((line) => JSON.parse(line).id),
      );
      folder.change("events.ndjson", (events) =>
        events.map((one) => (erased.has(one.id) ? { ...one, userId: "bob" } : one)),
      );
    },
    /^refused: erasure at the hour 2026-11-21T10.*not those that were sealed as erased/,
  ],
  [
    "calls an event erased that was not, to change it",
    (folder) => {
      const [first = ""] = folder.lines("leaves.ndjson");
      const { id } = JSON.parse(first);
      folder.change("leaves.ndjson", ([leaf, ...rest]) => [
        { ...leaf, hash: Buffer.alloc(32).toString("base64"), erasure: "erasure-1" },
        ...rest,
      ]);
      folder.change("events.ndjson", (events) =>
        events.map((one) => (one.id === id ? { ...one, userId: "eve" } : one)),
      );
    },
    /^refused: (events|erasure) at the hour 2026-11-21T10/,
  ],
  [
    "names another erasure",
    (folder) => folder.write("leaves.ndjson", folder.read("leaves.ndjson").replace('"erasure-1"', '"erasure-9"')),
    /^refused: erasure at the hour/,
  ],
  [
    "writes base64 in another spelling",
    (folder) =>
      folder.change("leaves.ndjson", ([first, ...rest]) => [
        { ...first, salt: String(first?.salt).replace(/=+$/, "") },
        ...rest,
      ]),
    /^refused: shape at leaves.ndjson:1: The member "salt"/,
  ],
  [
    "puts a leaf outside the span",
    (folder) => folder.changeManifest((manifest) => ({ ...manifest, since: AT(1) })),
    /^refused: leaf at leaves.ndjson:1: Its hour is outside the span/,
  ],
];

const onRecords: Trick[] = [
  [
    "changes a record's count",
    (folder) => folder.change("records.ndjson", ([first, ...rest]) => [{ ...first, count: 2 }, ...rest], sorted),
    /^refused: head at head.json: The records are not those/,
  ],
  [
    "removes the newest version of an hour",
    (folder) => folder.change("records.ndjson", (records) => records.slice(0, -1), sorted),
    /^refused: head at head.json: It counts \d+ records/,
  ],
  [
    "removes the newest version, and counts so in the head",
    (folder) => {
      folder.change("records.ndjson", (records) => records.slice(0, -1), sorted);
      folder.change("head.json", ([head]) => [{ ...head, size: Number(head?.size) - 1 }]);
    },
    /^refused: head at head.json: The records are not those/,
  ],
  [
    "swaps two records",
    (folder) => folder.change("records.ndjson", (records) => swap(records, 0, 1), sorted),
    /^refused: (record|head) at/,
  ],
  [
    "shows an older head as the newest",
    (folder) => folder.change("head.json", ([head]) => [{ ...head, hour: AT(6) }]),
    /^refused: head at head.json: It is not of the log's newest hour/,
  ],
  [
    "recomputes the organization's log and head",
    (folder) => {
      folder.change("records.ndjson", ([first, ...rest]) => [{ ...first, step: 1 }, ...rest], sorted);
      const own = createSealedWorld(START);
      own.record(event("acme", AT(0)));
      own.step();
      const forged = mkdtempSync(join(root, "forged-"));
      own.export(forged, "acme", { since: AT(0), until: AT(1) });
      folder.write(
        "head.json",
        copyProof(forged, mkdtempSync(join(root, "forged-")))
          .read("head.json")
          .replace(String(AT(0)), String(AT(7))),
      );
    },
    /^refused: (record|head) at/,
  ],
  [
    "changes a hash on the path",
    (folder) =>
      folder.change("head.json", ([head]) => [
        { ...head, path: ((head?.path ?? []) as string[]).map((hash, at) => (at === 4 ? flip(hash) : hash)) },
      ]),
    /^refused: head at head.json: The organization's head is not in the signed tree/,
  ],
  [
    "claims another slot",
    (folder) => folder.change("head.json", ([head]) => [{ ...head, index: Number(head?.index) ^ 1 }]),
    /^refused: head at head.json/,
  ],
  [
    "claims a tree of another size",
    (folder) => folder.change("head.json", ([head]) => [{ ...head, slots: 2_048 }]),
    /^refused: head at head.json: The slot is not one of the tree/,
  ],
  [
    "writes a record in another order of members",
    (folder) =>
      folder.change("records.ndjson", (records) =>
        records.map(({ organizationId, ...rest }) => ({ ...rest, organizationId })),
      ),
    /^refused: canonical at records.ndjson:1/,
  ],
];

const onLog: Trick[] = [
  [
    "changes a leaf of the deployment's log",
    (folder) =>
      folder.change("log.ndjson", ([first, ...rest]) => [{ ...first, root: flip(first?.root) }, ...rest], sorted),
    /^refused: log at log.ndjson: It is not the log that was signed/,
  ],
  [
    "removes an hour of the deployment's log",
    (folder) => folder.change("log.ndjson", (leaves) => leaves.filter((_, at) => at !== 3), sorted),
    /^refused: log at log.ndjson:4: The hour does not follow/,
  ],
  [
    "removes the newest hour of the deployment's log",
    (folder) => folder.change("log.ndjson", (leaves) => leaves.slice(0, -1), sorted),
    /^refused: log at log.ndjson: It has 7 leaves; the checkpoint has 8/,
  ],
  [
    "adds an hour",
    (folder) => folder.change("log.ndjson", (leaves) => [...leaves, { ...leaves.at(-1), hour: AT(8) }], sorted),
    /^refused: log at log.ndjson: It has 9 leaves/,
  ],
  [
    "shows an older checkpoint",
    (folder) => folder.write("checkpoint.txt", world.checkpoints()[6] ?? ""),
    /^refused: log at log.ndjson: It has 8 leaves; the checkpoint has 7/,
  ],
  [
    "changes the checkpoint's size",
    (folder) => folder.write("checkpoint.txt", folder.read("checkpoint.txt").replace("\n8\n", "\n9\n")),
    /^refused: signature at checkpoint.txt/,
  ],
  [
    "changes the signature",
    (folder) =>
      folder.write(
        "checkpoint.txt",
        folder.read("checkpoint.txt").replace(/.(=*)\n$/, (last) => flip(last)),
      ),
    /^refused: (signature|checkpoint) at checkpoint.txt/,
  ],
  [
    "removes the signature",
    (folder) => folder.write("checkpoint.txt", folder.read("checkpoint.txt").replace(/— .*\n/, "")),
    /^refused: checkpoint at checkpoint.txt/,
  ],
  [
    "renames the log",
    (folder) => folder.write("checkpoint.txt", folder.read("checkpoint.txt").replace(ORIGIN, "another.log")),
    /^refused: signature at checkpoint.txt/,
  ],
  [
    "gives a key an id of another",
    (folder) => folder.write("key.txt", folder.read("key.txt").replace(/\+[0-9a-f]{8}\+/, "+00000000+")),
    /^refused: key at key.txt:1: The key's id/,
  ],
  [
    "recomputes everything and signs it with an own key",
    (folder) => {
      const own = makeWorld();
      own.export(folder.folder, "acme", SPAN);
    },
    /^refused: signature at checkpoint.txt: No known key has signed it/,
  ],
];

const onFiles: Trick[] = [
  ["removes a file", (folder) => folder.remove("leaves.ndjson"), /^refused: missing at leaves.ndjson/],
  [
    "changes a count of the manifest",
    (folder) =>
      folder.changeManifest((manifest) => ({
        ...manifest,
        files: manifest.files.map((file) => ({ ...file, count: file.count + 2 })),
      })),
    /^refused: count at/,
  ],
  [
    "changes a size of the manifest",
    (folder) =>
      folder.changeManifest((manifest) => ({
        ...manifest,
        files: manifest.files.map((file) => ({ ...file, bytes: file.bytes + 1 })),
      })),
    /^refused: manifest at/,
  ],
  [
    "takes a file out of the manifest",
    (folder) => folder.changeManifest((manifest) => ({ ...manifest, files: manifest.files.slice(1) })),
    /^refused: missing at events.ndjson/,
  ],
  [
    "claims a longer span",
    (folder) => folder.changeManifest((manifest) => ({ ...manifest, until: AT(9) })),
    /^refused: span at manifest.json/,
  ],
  [
    "claims a span of parts of hours",
    (folder) => folder.changeManifest((manifest) => ({ ...manifest, since: AT(0) + 1 })),
    /^refused: shape at manifest.json: The member "since"/,
  ],
  [
    "claims another organization",
    (folder) => folder.changeManifest((manifest) => ({ ...manifest, organizationId: "other" })),
    /^refused: record at records.ndjson:1/,
  ],
  [
    "gives a member twice",
    (folder) => folder.write("events.ndjson", folder.read("events.ndjson").replace("{", '{"userId":"eve",')),
    /^refused: json at events.ndjson:1: The member "userId" is there twice/,
  ],
  [
    "writes a lone surrogate",
    (folder) => folder.write("events.ndjson", folder.read("events.ndjson").replace('"ada"', '"\\ud800"')),
    /^refused: json at events.ndjson:1: A text has a lone surrogate/,
  ],
  [
    "writes bytes that are not UTF-8",
    (folder) =>
      folder.write(
        "events.ndjson",
        Buffer.concat([Buffer.from(folder.read("events.ndjson").slice(0, 5)), Buffer.of(0xff, 10)]),
      ),
    /^refused: utf8 at events.ndjson:1/,
  ],
  [
    "cuts the last line",
    (folder) => folder.write("events.ndjson", folder.read("events.ndjson").slice(0, -1)),
    /^refused: shape at events.ndjson:25: The last line does not end/,
  ],
];

describe("the verifier refuses whoever", () => {
  it.each(sampleOf([...onEvents, ...onLeaves, ...onRecords, ...onLog, ...onFiles], 5))("%s", (_name, play, refusal) => {
    const folder = copy();
    play(folder);
    const { status, out, stderr } = run(folder.folder, "--key", knownKey);
    expect([status, stderr]).toEqual([1, ""]);
    expect(out).toMatch(refusal);
    expect(out).toMatch(/^refused: [a-z0-9]+ at [^\n]+: [^\n]+$/);
  });

  it("rewrites what a witness has kept, with the signing key", () => {
    const [kept, forged] = [createSealedWorld(START), makeWorld()];
    kept.record(event("acme", AT(0)));
    kept.step();
    const folder = mkdtempSync(join(root, "witness-"));
    forged.export(join(folder, "forged"), "acme", SPAN);
    const witnessed = (text: string) => {
      const file = join(folder, "witnessed.txt");
      writeFileSync(file, text);
      return run(join(folder, "forged"), "--witnessed", file).out;
    };
    const [first = "", second = ""] = forged.checkpoints();
    expect(witnessed(`${first}\n${second}`)).toMatch(/^verified/);
    expect(witnessed(kept.checkpoints()[0] ?? "")).toMatch(/^refused: signature at witnessed.txt checkpoint 1/);
    forged.step();
    expect(witnessed(forged.checkpoints().at(-1) ?? "")).toMatch(/^refused: witness at .*none can be compared/);
    expect(witnessed("no checkpoint")).toMatch(/^refused: witness at witnessed.txt/);
  });
});

describe("the verifier's command", () => {
  it.each([[[]], [["nowhere"]], [["--key"]], [["--unknown", "x"]], [["one", "two"]]])(
    "is told to be used wrongly with %j",
    (words) => {
      expect(run(...words)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("Usage: node verify.mjs <folder>"),
      });
    },
  );

  it("explains itself", () => {
    expect(run("--help")).toMatchObject({ status: 0, out: expect.stringContaining("--witnessed") });
  });
});
