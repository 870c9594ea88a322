import { describe, expect, it } from "@jest/globals";
import {
  leafOf,
  nextVersionOf,
  type SealableEvent,
  type SealedHour,
  summaryOf,
} from "../../../shared/evidence/hour-leaves.ts";
import { eventLeaf, type HourRecord } from "../../../shared/evidence/sealed-log.ts";
import { judgeSealedHour, type SealedHourInput } from "../../../shared/sealing/hour-integrity.ts";

const HOUR = 1_795_219_200_000;

const eventOf = (id: string, changes: Partial<SealableEvent> = {}): SealableEvent => ({
  event: { id, action: "read" } as { id: string },
  salt: Buffer.alloc(16, id),
  isLate: false,
  ...changes,
});

/** The hour after its versions, each with the events that it adds. */
const sealedOf = (...versions: SealableEvent[][]) => {
  const records: HourRecord[] = [];
  let sealed: SealedHour | undefined;
  const events: SealableEvent[] = [];
  for (const [index, added] of versions.entries()) {
    events.push(...added);
    const next = nextVersionOf(events.map(leafOf), sealed);
    const version = { version: index + 1, ...summaryOf(next.leaves) };
    sealed = { ...version, late: [...(sealed?.late ?? []), next.late] };
    records.push({ organizationId: "acme", hour: HOUR, ...version, step: index + 5 });
  }
  return { events, records, sealed };
};

type Input = Omit<Partial<SealedHourInput>, "events"> & { events?: readonly SealableEvent[] | undefined };

const judge = (input: Input) => {
  const all = { hour: HOUR, size: 9, records: [], sealed: undefined, events: [], isDue: false, ...input };
  return judgeSealedHour({ ...all, events: all.events?.map(leafOf) });
};

const late = { isLate: true };
const whole = sealedOf([eventOf("b"), eventOf("d")], [eventOf("a", late), eventOf("c", late)]);

/** As an erasure leaves it. */
const emptied = (one: SealableEvent, erasure: string): SealableEvent => ({
  ...one,
  event: { id: one.event.id },
  hash: one.hash ?? eventLeaf(one.event, one.salt),
  erasure,
  salt: Buffer.alloc(16, erasure),
});

describe("an hour", () => {
  it("is verified with its versions, and with late events that are not sealed", () => {
    const { count, root } = whole.records[1] ?? {};
    const facts = { hour: HOUR, count, version: 2, root, checkpoint: 6, status: "verified" };
    expect(judge(whole)).toEqual(facts);
    expect(judge({ ...whole, events: [...whole.events, eventOf("e", late)] })).toEqual(facts);
  });

  it("shows the newest version that the signed log counts", () => {
    expect(judge({ ...whole, size: 6 })).toMatchObject({ version: 1, count: 2, checkpoint: 5, status: "verified" });
  });

  it("without events is verified, and expired if its events are gone", () => {
    expect(judge({})).toEqual({ hour: HOUR, count: 0, version: 0, status: "verified" });
    expect(judge({ ...whole, events: undefined })).toMatchObject({ status: "expired", version: 2 });
    expect(judge({ events: undefined })).toMatchObject({ status: "verified", version: 0 });
  });

  it("that waits to be sealed for the first time is not sealed", () => {
    expect(judge({ events: [eventOf("a")], isDue: true })).toMatchObject({ status: "not_sealed" });
  });

  it("names erasures, which verify once they are sealed, or while they wait", () => {
    const events = whole.events.map((one) => (one.event.id === "c" ? emptied(one, "er-1") : one));
    expect(judge({ ...whole, events, isDue: true })).toMatchObject({ status: "verified" });
    const erased = sealedOf([eventOf("b")]);
    const after = erased.events.map((one) => emptied(one, "er-1"));
    const version = { version: 2, ...summaryOf(after.map(leafOf)) };
    const sealed = { ...version, late: [[], []] };
    const records = [...erased.records, { organizationId: "acme", hour: HOUR, ...version, step: 7 }];
    expect(judge({ records, sealed, events: after })).toMatchObject({
      status: "verified",
      erased: [{ erasure: "er-1", count: 1 }],
    });
  });

  const [b, d, a, c] = whole.events as [SealableEvent, SealableEvent, SealableEvent, SealableEvent];
  const other = { ...b, event: { id: "b", action: "write" } as { id: string } };
  it.each<[string, Input, string]>([
    ["a changed event", { events: [other, d, a, c] }, "The events 0 to 1 are not those that version 1 sealed."],
    [
      "a changed late event",
      { events: [b, d, a, { ...c, salt: a.salt }] },
      "The events 2 to 3 are not those that version 2 sealed.",
    ],
    ["a removed event", { events: [b, a, c] }, "3 events are stored; 4 were sealed."],
    ["a removed late event", { events: [b, d, a] }, "The sealed event c is not stored."],
    ["an added event", { events: [...whole.events, eventOf("e")] }, "5 events are stored; 4 were sealed."],
    [
      "an event called erased",
      { events: [b, d, a, emptied(c, "er-9")] },
      "1 events are emptied; 0 were sealed as erased.",
    ],
    [
      "an event emptied of another one",
      { events: [b, d, a, { ...emptied(c, "er-9"), hash: Buffer.alloc(32) }], isDue: true },
      "The events 2 to 3 are not those that version 2 sealed.",
    ],
    [
      "an older state",
      { sealed: sealedOf([b, d]).sealed },
      "The stored state of the hour is not that of its newest record.",
    ],
    [
      "a removed record",
      { records: whole.records.slice(0, 1) },
      "The stored state of the hour is not that of its newest record.",
    ],
    ["no record", { records: [], sealed: undefined }, "The event b is stored, and no event of the hour was sealed."],
  ])("is broken by %s", (_what, change, problem) => {
    expect(judge({ ...whole, ...change })).toMatchObject({ status: "broken", problem });
  });
});
