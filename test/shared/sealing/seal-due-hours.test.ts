import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { HOUR } from "../../support/security-events.ts";
import { newDirectory } from "../../support/temporary-directory.ts";
import { verify, writeProof } from "./proof-of.ts";
import { MINUTE, ORIGIN, START, useSealingStage } from "./stage.ts";

const stage = useSealingStage();
beforeEach(() => stage.reset());

const AT = (hours: number, minutes = 0): number => START + hours * HOUR + minutes * MINUTE;
/** The schedule's minute of an hour. */
const RUN = (hours: number): number => AT(hours, 43);

/** Events of the first, partly recorded hour, and the first step, which begins the log at hour 1. */
const begin = async () => {
  stage.time.now = AT(0, 30);
  await stage.record("acme", AT(0, 30));
  stage.time.now = RUN(1);
  await stage.run();
};
const record = (organizationId: string, hour: number, minute: number, fields = {}) => {
  stage.time.now = Math.max(stage.time.now, AT(hour, minute));
  return stage.record(organizationId, AT(hour, minute), fields);
};
const recordsOf = async (organizationId: string) => {
  const records: Record<string, unknown>[] = [];
  for await (const entry of stage.evidence.listRecords(organizationKey(organizationId)))
    records.push(JSON.parse(entry));
  return records;
};
const leaves = async () => {
  const found: { hour: number; root: string }[] = [];
  for await (const entry of stage.evidence.listLeaves(0, 10_000)) found.push(JSON.parse(entry));
  return found;
};
const root = newDirectory("sealed-");
const proves = async (organizationId: string, since: number, until: number) => {
  const folder = mkdtempSync(join(root, "proof-"));
  await writeProof(stage, folder, organizationId, { since: AT(since), until: AT(until) });
  return verify(folder, "--key", stage.verifierKeys()[0] ?? "").out;
};

describe("the log", () => {
  it("begins with the hour after the first event with a salt, and seals nothing before", async () => {
    await begin();
    expect(await stage.evidence.getState()).toMatchObject({ start: AT(1), size: 0, origin: ORIGIN });
    expect(await recordsOf("acme")).toEqual([]);
    expect(await stage.dueSeals.listDue(organizationKey("acme"), { from: AT(0), to: AT(9) })).toEqual([]);
    expect(stage.checkpoints.size).toBe(0);
    await record("acme", 1, 10);
    stage.time.now = RUN(2);
    expect(await stage.run()).toMatchObject({ sealed: 1, events: 1, leaves: 1, isComplete: true });
    expect(await leaves()).toMatchObject([{ hour: AT(1) }]);
    expect(await recordsOf("acme")).toMatchObject([{ hour: AT(1), version: 1, count: 1, erased: 0, step: 0 }]);
    expect([...stage.checkpoints.keys()]).toEqual([1]);
  });

  it("begins with the next hour without such an event", async () => {
    stage.time.now = RUN(0);
    await stage.record("acme", AT(-1, 5), {}, "none");
    await stage.run();
    expect(await stage.evidence.getState()).toMatchObject({ start: AT(1) });
  });

  it("has a leaf for each hour, idle ones too, and keeps its origin", async () => {
    await begin();
    for (const hour of [1, 2, 3]) {
      if (hour !== 2) await record("acme", hour, 5);
      stage.time.now = RUN(hour + 1);
      await stage.run({ ...stage.dependenciesOf(), origin: "another" });
    }
    expect((await leaves()).map(({ hour }) => hour)).toEqual([AT(1), AT(2), AT(3)]);
    expect(stage.checkpoints.get(3)?.[0]).toMatch(new RegExp(`^${ORIGIN}\n3\n`));
    expect(await proves("acme", 1, 4)).toMatch(/^verified: .*; 2 events; .*log size 3/);
    expect(await proves("acme", 2, 3)).toMatch(/^verified: .*; 0 events/);
  });

  it("has a leaf for each missed hour, and signs once, at the end", async () => {
    await begin();
    await record("acme", 1, 5);
    await record("acme", 4, 5);
    await record("other", 6, 5);
    stage.time.now = RUN(9);
    expect(await stage.run()).toMatchObject({ leaves: 8, sealed: 3 });
    expect((await leaves()).map(({ hour }) => hour)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((hour) => AT(hour)));
    expect([...stage.checkpoints.keys()]).toEqual([8]);
    expect((await recordsOf("acme")).map(({ step }) => step)).toEqual([7, 7]);
    expect(await proves("acme", 1, 9)).toMatch(/^verified: .*; 2 events/);
    expect(await proves("other", 1, 9)).toMatch(/^verified: .*; 1 events/);
  });

  it("does not take an hour before it is over and its last events are stored", async () => {
    await begin();
    await record("acme", 1, 59);
    stage.time.now = AT(2, 4);
    expect(await stage.run()).toMatchObject({ sealed: 0, leaves: 0 });
    stage.time.now = AT(2, 5);
    expect(await stage.run()).toMatchObject({ sealed: 1, leaves: 1, left: 0 });
  });

  it("has one slot for each organization, for ever, and twice as many when three quarters are used", async () => {
    await begin();
    await stage.addHeads(768);
    await record("one-more", 1, 5);
    stage.time.now = RUN(2);
    await stage.run();
    const state = await stage.evidence.getState();
    expect(state?.slots).toBe(2_048);
    expect(await stage.evidence.getSlots(1)).toHaveLength(2_048);
    expect(await proves("one-more", 1, 2)).toMatch(/^verified/);
    const slots = [...(await stage.evidence.listHeads()).values()].map(({ slot }) => slot);
    expect(new Set(slots).size).toBe(769);
  });
});

describe("an hour", () => {
  beforeEach(begin);

  it("gets a further version by late events, which keeps the indexes, and none without", async () => {
    const first = await record("acme", 1, 5);
    stage.time.now = RUN(2);
    await stage.run();
    const late = await stage.record("acme", AT(1, 1));
    const again = await stage.record("acme", AT(1, 0));
    await stage.dueSeals.markDue(organizationKey("acme"), AT(1));
    stage.time.now = RUN(3);
    expect(await stage.run()).toMatchObject({ sealed: 1, events: 2 });
    expect((await stage.evidence.getHour(organizationKey("acme"), AT(1)))?.late).toEqual([[], [again.id, late.id]]);
    await stage.dueSeals.markDue(organizationKey("acme"), AT(1));
    stage.time.now = RUN(4);
    expect(await stage.run()).toMatchObject({ sealed: 0, left: 0 });
    expect((await recordsOf("acme")).map(({ version, count }) => [version, count])).toEqual([
      [1, 1],
      [2, 3],
    ]);
    expect(first.id > late.id).toBe(true);
    expect(await proves("acme", 1, 2)).toMatch(/^verified: .*; 3 events/);
  });

  it("is in its first version with events that came late, but before it was sealed", async () => {
    await record("acme", 1, 5);
    stage.time.now = AT(2, 1);
    const late = await stage.record("acme", AT(1, 59));
    stage.time.now = RUN(2);
    expect(await stage.run()).toMatchObject({ sealed: 1, events: 2 });
    expect((await stage.evidence.getHour(organizationKey("acme"), AT(1)))?.late).toEqual([[late.id]]);
  });

  it("has emptied events sealed as erased, before and after its first version", async () => {
    await record("acme", 1, 5, { userId: "bob" });
    await record("acme", 1, 6);
    await stage.erase("acme", "bob", "erasure-1");
    stage.time.now = RUN(2);
    await stage.run();
    await record("acme", 2, 5, { userId: "bob" });
    stage.time.now = RUN(3);
    await stage.run();
    const before = await proves("acme", 1, 3);
    await stage.erase("acme", "bob", "erasure-2");
    stage.time.now = RUN(4);
    await stage.run();
    const records = (await recordsOf("acme")).map(({ hour, version, erased }) => [
      (Number(hour) - START) / HOUR,
      version,
      erased,
    ]);
    expect(records).toEqual([
      [1, 1, 1],
      [2, 1, 0],
      [2, 2, 1],
    ]);
    const [, atFirst, atLast] = (await recordsOf("acme")).map((one) => one.root);
    expect(atLast).toBe(atFirst);
    expect(before).toMatch(/^verified: .*1 erased by erasure-1/);
    expect(await proves("acme", 1, 3)).toMatch(/^verified: .*2 erased by erasure-1, erasure-2/);
    expect(JSON.stringify(await stage.scan("securityEvents"))).not.toContain("bob");
  });

  it.each([
    ["changed", (id: string) => ({ id, metadata: '{"records":4}' })],
    ["removed", () => undefined],
  ])("is not sealed over when an event was %s: it is broken, and an alarm names it", async (_what, change) => {
    const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    const event = await record("acme", 1, 5);
    await record("acme", 1, 6);
    stage.time.now = RUN(2);
    await stage.run();
    await stage.tamper("acme", event.id, change(event.id));
    await stage.record("acme", AT(1, 7));
    stage.time.now = RUN(3);
    expect(await stage.run()).toMatchObject({ sealed: 0, broken: 1, leaves: 1 });
    expect(await recordsOf("acme")).toHaveLength(1);
    expect(write.mock.calls.join("")).toContain('"alarm":"sealed_hour_broken"');
    write.mockRestore();
  });

  it("has events of an older version of the service: with a salt from then on, or as late ones", async () => {
    stage.time.now = AT(1, 10);
    await stage.record("acme", AT(1, 5), {}, "none");
    stage.time.now = RUN(2);
    expect(await stage.run()).toMatchObject({ sealed: 1, events: 1 });
    const late = await stage.record("acme", AT(1, 1), {}, "none");
    stage.time.now = RUN(3);
    expect(await stage.run()).toMatchObject({ sealed: 1, events: 1, broken: 0 });
    expect((await stage.evidence.getHour(organizationKey("acme"), AT(1)))?.late).toEqual([[], [late.id]]);
    expect(await proves("acme", 1, 2)).toMatch(/^verified: .*; 2 events/);
  });

  it("whose events have expired, without an archive, is no longer due", async () => {
    await stage.dueSeals.markDue(organizationKey("acme"), AT(1));
    stage.time.now = RUN(2);
    const dependencies = { ...stage.dependenciesOf(), readHour: async () => undefined };
    expect(await stage.run(dependencies)).toMatchObject({ sealed: 0, left: 0, leaves: 1 });
    expect(await stage.dueSeals.listDue(organizationKey("acme"), { from: AT(0), to: AT(9) })).toEqual([]);
  });
});

describe("a run", () => {
  beforeEach(begin);

  it("does nothing while another worker has the log", async () => {
    const lease = await stage.evidence.takeLease(AT(9));
    stage.time.now = RUN(2);
    expect(await stage.run()).toMatchObject({ isHeld: true, leaves: 0 });
    await stage.evidence.releaseLease(String(lease));
    expect(await stage.run()).toMatchObject({ isHeld: false, leaves: 1 });
  });

  it("whose time runs short ends its step, and has the rest sealed by a further invocation", async () => {
    for (const id of ["a", "b", "c", "d"]) await record(id, 1, 5);
    stage.time.now = RUN(2);
    let left = 3;
    const result = await stage.run(stage.dependenciesOf(), () => (left-- > 0 ? 900_000 : 60_000));
    expect(result).toMatchObject({ isComplete: false, isHandedOver: true, leaves: 1 });
    expect(result.sealed).toBeGreaterThan(0);
    expect(result.sealed).toBeLessThan(4);
    expect(stage.published).toEqual([{ until: RUN(2) + 55 * MINUTE }]);
    expect(await stage.run()).toMatchObject({ sealed: 4 - result.sealed, leaves: 0, isComplete: true });
    stage.time.now = RUN(3);
    await stage.run();
    for (const id of ["a", "b", "c", "d"]) expect(await proves(id, 1, 3)).toMatch(/^verified: .*; 1 events/);
  });

  it("seals the other hours when one cannot be read, and raises an alarm after three hours", async () => {
    const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    await record("acme", 1, 5);
    await record("other", 1, 5);
    const dependencies = {
      ...stage.dependenciesOf(),
      readHour: async (scope: string, hour: number) => {
        if (scope === organizationKey("acme")) throw new Error("unreadable");
        return stage.readHour(scope, hour);
      },
    };
    stage.time.now = RUN(2);
    await expect(stage.run(dependencies)).rejects.toThrow("1 hours could not be sealed.");
    expect(await proves("other", 1, 2)).toMatch(/^verified/);
    expect(write.mock.calls.join("")).not.toContain("hour_not_sealed");
    stage.time.now = RUN(5);
    await expect(stage.run(dependencies)).rejects.toThrow();
    expect(write.mock.calls.join("")).toContain('"alarm":"hour_not_sealed"');
    write.mockRestore();
    await stage.run();
    stage.time.now = RUN(6);
    await stage.run();
    expect(await proves("acme", 1, 6)).toMatch(/^verified: .*; 1 events/);
  });

  it("raises an alarm when the log has had no leaf for three hours", async () => {
    const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
    const dependencies = {
      ...stage.dependenciesOf(),
      signer: { sign: async () => Promise.reject(new Error("KMS is out")) },
    };
    stage.time.now = RUN(2);
    await expect(stage.run(dependencies)).rejects.toThrow("KMS is out");
    expect(write.mock.calls.join("")).not.toContain("hour_not_sealed");
    stage.time.now = AT(5);
    await expect(stage.run(dependencies)).rejects.toThrow("KMS is out");
    expect(write.mock.calls.join("")).toContain('"alarm":"hour_not_sealed"');
    write.mockRestore();
    await stage.run();
    expect((await leaves()).map(({ hour }) => hour)).toEqual([AT(1), AT(2), AT(3)]);
  });

  it("signs by both keys while one replaces the other", async () => {
    await record("acme", 1, 5);
    stage.keys.bytes = [7, 8];
    stage.time.now = RUN(2);
    await stage.run();
    for (const key of stage.verifierKeys()) {
      const folder = mkdtempSync(join(root, "two-keys-"));
      await writeProof(stage, folder, "acme", { since: AT(1), until: AT(2) });
      expect(verify(folder, "--key", key).out).toMatch(/^verified/);
    }
  });
});
