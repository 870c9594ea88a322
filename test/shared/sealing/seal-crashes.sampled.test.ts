/** A fault at any call of the worker, and an erasure between any two: the log verifies, and has the bytes of a calm run. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { eventLeaf } from "../../../shared/evidence/sealed-log.ts";
import { hourName } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { depth, rangeOf, sampleOf } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createRandom } from "../../support/random.ts";
import { HOUR } from "../../support/security-events.ts";
import { newDirectory } from "../../support/temporary-directory.ts";
import { verify, writeProof } from "./proof-of.ts";
import { type Fault, MINUTE, START, useSealingStage } from "./stage.ts";

const stage = useSealingStage();
quietLog();
beforeEach(() => stage.reset());

const AT = (hours: number, minutes = 0): number => START + hours * HOUR + minutes * MINUTE;
const RUN = (hours: number): number => AT(hours, 43);
const ORGANIZATIONS = ["acme", "other"];
const root = newDirectory("crashes-");

const proves = async (organizationId: string, until: number): Promise<string> => {
  const folder = mkdtempSync(join(root, "proof-"));
  await writeProof(stage, folder, organizationId, { since: AT(1), until });
  return verify(folder).out;
};

/** Hour 1 is sealed. Hour 2 is over; hour 1 has a late event and an emptied one. */
const prepare = async () => {
  stage.time.now = AT(0, 30);
  await stage.record("acme", AT(0, 30));
  stage.time.now = RUN(1);
  await stage.run();
  const emptied = await stage.record("acme", AT(1, 44), { userId: "bob" });
  stage.time.now = RUN(2);
  await stage.run();
  // One organization at a time: the order of concurrent calls decides who gets which random bytes.
  await stage.record("other", AT(1, 44), { userId: "bob" });
  await stage.run();
  for (const id of ORGANIZATIONS) await stage.record(id, AT(2, 45));
  await stage.record("acme", AT(1, 50));
  const [stored] = (await stage.readProved(organizationKey("acme"), AT(1))) ?? [];
  const salt = new Uint8Array(16).fill(3);
  const hash = eventLeaf(emptied, stored?.stored.salt ?? salt);
  await stage.tamper("acme", emptied.id, { hash, salt, erasure: "erasure-1", userId: "" });
  stage.time.now = RUN(3);
};

/** Everything that is sealed; not the lease and the tokens of writes. */
const sealed = async () => {
  const items = (await stage.scan("evidence"))
    .filter(({ key }) => key !== "lease")
    .map(({ token: _, ...item }) => item)
    .sort((one, other) => (`${one.scope} ${one.key}` < `${other.scope} ${other.key}` ? -1 : 1));
  const texts = [...stage.checkpoints].map(([size, all]) => [size, new Set(all)]);
  const due = (await stage.scan("securityRollups")).map(({ period }) => period);
  return { items, texts, due };
};

/** Runs with a fault, and then without, as the next run does once the lease is over. */
const runWith = async (fault: Fault): Promise<void> => {
  const { dependencies, state } = stage.faulty(fault);
  await stage.run(dependencies).catch(() => undefined);
  if (state.calls < fault.at) throw new Error("There was no such call.");
  stage.time.now += 16 * MINUTE;
  await stage.run();
};

const countCalls = async (): Promise<number> => {
  await stage.reset();
  await prepare();
  const { dependencies, state } = stage.faulty(undefined);
  await stage.run(dependencies);
  return state.calls;
};

describe("the step", () => {
  it("verifies after a fault at any call, with the same bytes after a crash, and no size has two checkpoints", async () => {
    const calls = await countCalls();
    const expected = await sealed();
    expect(expected.due).toEqual([]);
    expect(expected.texts).toHaveLength(2);
    const faults = rangeOf(calls).flatMap((call) =>
      (["fails", "lost", "died"] as const).map((kind): Fault => ({ at: call + 1, kind })),
    );
    for (const fault of sampleOf(faults, 5)) {
      await stage.reset();
      await prepare();
      await runWith(fault);
      const { items, texts, due } = await sealed();
      // After a failed call, the worker seals the next hour, so the records of an organization may have another order.
      if (fault.kind === "died")
        expect({ fault, items, texts }).toEqual({ fault, items: expected.items, texts: expected.texts });
      expect({ fault, due, sizes: texts.length }).toEqual({ fault, due: [], sizes: expected.texts.length });
      for (const [, signed] of texts) expect(signed).toMatchObject({ size: 1 });
      stage.time.now = RUN(4);
      await stage.run();
      for (const id of ORGANIZATIONS) expect(await proves(id, AT(3))).toMatch(/^verified/);
    }
  });

  it("seals an erasure that comes between any two of its calls, and never calls an hour broken", async () => {
    const calls = await countCalls();
    for (const at of sampleOf(rangeOf(calls), 3)) {
      await stage.reset();
      await prepare();
      const erase = () => stage.erase("other", "bob", "erasure-2");
      const { dependencies } = stage.faulty({ at: at + 1, kind: erase });
      expect(await stage.run(dependencies)).toMatchObject({ broken: 0 });
      stage.time.now = RUN(4);
      expect(await stage.run()).toMatchObject({ broken: 0 });
      expect(await proves("other", AT(4))).toMatch(/^verified: .*1 erased by erasure-2/);
      expect(JSON.stringify(await stage.scan("securityEvents"))).not.toContain('"bob"');
    }
  });
});

describe("a history of events, late events, erasures, missed hours and faults", () => {
  it.each(rangeOf(depth(1, 60)))("%i verifies for every organization", async (seed) => {
    const random = createRandom(seed + 1);
    const pick = (count: number) => Math.floor(random() * count);
    const organizations = ["a", "b", "c", "d"];
    stage.time.now = AT(0, 30);
    await stage.record("a", AT(0, 30));
    stage.time.now = RUN(1);
    await stage.run();
    let erasures = 0;
    const act = async (hour: number): Promise<void> => {
      const id = organizations[pick(organizations.length)] ?? "a";
      const past = Math.max(1, hour - pick(4));
      const user = ["ada", "bob", "eve"][pick(3)] ?? "ada";
      if (random() < 0.15) await stage.erase(id, user, `erasure-${++erasures}`);
      else if (random() < 0.3) await stage.record(id, AT(past, pick(60)), { userId: user });
      else await stage.record(id, stage.time.now, { userId: user });
    };
    const last = 9;
    for (let hour = 1; hour <= last; hour++) {
      for (let minute = 44; minute < 60; minute += 4) {
        stage.time.now = AT(hour, minute);
        await act(hour);
      }
      stage.time.now = RUN(hour + 1);
      if (random() < 0.3 && hour < last) continue;
      const kinds = ["fails", "lost", "died", () => act(hour)] as const;
      const fault = { at: 1 + pick(40), kind: kinds[pick(kinds.length)] ?? "fails" } as Fault;
      await stage.run(stage.faulty(fault).dependencies).catch(() => undefined);
    }
    for (const hour of [last + 2, last + 3]) {
      stage.time.now = RUN(hour);
      expect(await stage.run()).toMatchObject({ broken: 0 });
    }
    expect((await stage.scan("securityRollups")).map(({ period }) => period)).toEqual([]);
    for (const id of organizations) {
      const events = (await stage.scan("securityEvents")).filter(
        ({ organizationId, timestamp }) => organizationId === id && Number(timestamp) >= AT(1),
      );
      if (events.length === 0) continue;
      expect(await proves(id, AT(last + 3))).toMatch(new RegExp(`^verified: .*; ${events.length} events`));
    }
    for (const [size, texts] of stage.checkpoints) expect([size, new Set(texts).size]).toEqual([size, 1]);
    expect(hourName(stage.time.now)).toBe(hourName(RUN(last + 3)));
  });
});
