import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { EventExportRequest, type Export } from "../../../shared/exports/export.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { depth, rangeOf, sampleOf } from "../../support/depth.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createRandom } from "../../support/random.ts";
import { createWorld, type ExportWorld, eventAt, type Io, startExportEngine } from "./world.ts";

quietLog();

let engine: EmbeddedDynamoDb;
let world: ExportWorld;
let organizationId: string;
let expected: string[];
const EVENTS = 40;

beforeAll(async () => {
  engine = await startExportEngine();
  world = createWorld(engine);
  organizationId = world.newOrganization();
  const { now } = world.time;
  await world.putEvents(rangeOf(EVENTS).map((i) => eventAt(organizationId, now - 1_000 * (i + 1))));
  expected = (await world.listed(organizationId, { since: 0, until: now })).map(
    (event) => `${JSON.stringify(event)}\n`,
  );
});
afterAll(() => engine.stop());

class Crash extends Error {}

/** An instance that crashes at a call: before the call has an effect, or after it, when its answer is lost. */
const crashing = (at: number, dies: "before" | "after"): { io: Io; calls: () => number } => {
  let calls = 0;
  return {
    calls: () => calls,
    io: async (_, work) => {
      const call = calls++;
      if (call > at || (call === at && dies === "before")) throw new Crash("the instance crashed");
      const result = await work();
      if (call === at) throw new Crash("the instance crashed");
      return result;
    },
  };
};

const request = async (format: "ndjson" | "csv" = "ndjson", organization = organizationId) => {
  const body = EventExportRequest.parse({ format, since: 0n });
  const { id } = await world.request(organization, { kind: "events", request: body });
  const [requested] = world.takeRequests();
  if (requested === undefined) throw new Error("no worker was requested");
  world.recorded.clear();
  return { id, requested };
};

const resultOf = async (id: string, organization = organizationId): Promise<{ shown: Export; text: string }> => {
  const stored = await world.main.exports.get(organization, id, world.time.now);
  const shown = await world.read(id, world.by(organization));
  return { shown, text: world.memory.textOf(stored.files[0]?.key ?? "") ?? "" };
};

const expectWhole = async (id: string): Promise<void> => {
  const { shown, text } = await resultOf(id);
  expect(text).toBe(expected.join(""));
  expect(shown).toMatchObject({ status: "completed", files: [{ count: EVENTS, bytes: Buffer.byteLength(text) }] });
  const kinds = [...world.recorded.values()].map(({ eventType }) => eventType);
  expect(kinds.filter((kind) => kind === "EXPORT_COMPLETED")).toHaveLength(1);
  world.recorded.clear();
};

/** How many calls a worker makes that nothing disturbs. */
const countCalls = async (): Promise<number> => {
  const { id, requested } = await request();
  const { io, calls } = crashing(Number.POSITIVE_INFINITY, "before");
  await world.deliver(requested, { io });
  await expectWhole(id);
  return calls();
};

/** Whether the file has each event that stayed once, no event twice, and nothing else, newest first. */
const expectConsistent = async (
  organization: string,
  events: readonly SecurityEvent[],
  gone: ReadonlySet<string>,
  id: string,
): Promise<void> => {
  const { shown, text } = await resultOf(id, organization);
  const ids = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).id as string);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted().reverse()).toEqual(ids);
  const known = new Set(events.map((event) => event.id));
  expect(ids.filter((one) => !known.has(one))).toEqual([]);
  const stable = events.map((event) => event.id).filter((one) => !gone.has(one));
  expect(stable.filter((one) => !ids.includes(one))).toEqual([]);
  expect(shown).toMatchObject({ status: "completed", files: [{ count: ids.length }] });
  expect(shown.files[0]?.sha256).toBe(createHash("sha256").update(text).digest("hex"));
};

const fill = async () => {
  const organization = world.newOrganization();
  const events = rangeOf(EVENTS).map((i) => eventAt(organization, world.time.now - 1_000 * (i + 1)));
  await world.putEvents(events);
  return { organization, events };
};

describe("the file of an export", () => {
  it("is the same whichever call its worker dies at, before or after the call", async () => {
    const calls = await countCalls();
    expect(calls).toBeGreaterThan(30);
    const cells = rangeOf(calls).flatMap((at) => (["before", "after"] as const).map((dies) => ({ at, dies })));
    for (const [index, { at, dies }] of sampleOf(cells, 6).entries()) {
      const { id, requested } = await request();
      const { io } = crashing(at, dies);
      await expect(world.deliver(requested, { io, delivery: "the same" })).rejects.toBeInstanceOf(Error);
      // The delivery is repeated at once, or a worker of another delivery comes when the lease has expired.
      if (index % 2 === 0) world.time.now += 46_000;
      await world.deliver(requested, { delivery: index % 2 === 0 ? "another" : "the same" });
      await expectWhole(id);
    }
  });

  it("is the same after many crashes in a row and hand-overs after each step", async () => {
    const random = createRandom(7);
    for (const _ of rangeOf(depth(1, 12))) {
      const { id, requested } = await request();
      for (let tries = 0; tries < 12; tries++) {
        const { io } = crashing(2 + Math.floor(random() * 12), random() < 0.5 ? "before" : "after");
        let checks = 0;
        const remainingMs = () => (++checks > 1 + (tries % 3) ? 20_000 : 900_000);
        await world.deliver(requested, { io, remainingMs }).catch(() => undefined);
        world.time.now += 46_000;
      }
      world.takeRequests();
      await world.deliver(requested);
      await expectWhole(id);
    }
  });

  it("is not damaged by a worker that has lost its lease and goes on", async () => {
    const calls = await countCalls();
    const pauses = rangeOf(calls).slice(1);
    for (const at of sampleOf(pauses, 4)) {
      const { organization, events } = await fill();
      const { id, requested } = await request("ndjson", organization);
      let call = 0;
      let goOn = () => {};
      let isPaused = () => {};
      const paused = new Promise<void>((resolve) => {
        isPaused = resolve;
      });
      const io: Io = async (_, work) => {
        if (call++ === at) {
          isPaused();
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
        }
        return work();
      };
      const first = world.deliver(requested, { io });
      await paused;
      // What the first worker has read is no longer what the other one reads.
      const gone = new Set(events.filter((_, i) => i % 3 === at % 3).map((event) => event.id));
      for (const event of events) if (gone.has(event.id)) await world.deleteEvent(event);
      world.time.now += 46_000;
      // The other worker has done a step, or everything, when the first one goes on.
      let checks = 0;
      const remainingMs = () => (at % 2 === 0 && ++checks > 1 ? 20_000 : 900_000);
      const other = await world.deliver(requested, { remainingMs });
      goOn();
      // Its last call may fail, because the upload has ended.
      await first.catch(() => undefined);
      world.takeRequests();
      if (!other.isEnded) {
        world.time.now += 46_000;
        await world.deliver(requested);
      }
      await expectConsistent(organization, events, gone, id);
    }
  });
});

describe("events that go during an export", () => {
  it("are in the file at most once, and all others exactly once, even if a second worker reads them again", async () => {
    const random = createRandom(11);
    for (const _ of rangeOf(depth(1, 12))) {
      const { organization, events } = await fill();
      const { id, requested } = await request("ndjson", organization);
      const gone = new Set<string>();
      let calls = 0;
      const io: Io = async (name, work) => {
        if (name === "QueryCommand" && random() < 0.5) {
          const victim = events[Math.floor(random() * events.length)];
          if (victim !== undefined) {
            gone.add(victim.id);
            await world.deleteEvent(victim);
          }
        }
        if (++calls % 17 === 0) throw new Crash("the instance crashed");
        return work();
      };
      for (let tries = 0; tries < 6; tries++) {
        await world.deliver(requested, { io }).catch(() => undefined);
        world.time.now += 46_000;
      }
      await world.deliver(requested);
      await expectConsistent(organization, events, gone, id);
    }
  });
});
