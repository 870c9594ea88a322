import { beforeEach, expect, it } from "@jest/globals";
import { createCheckCheckpoints } from "../../../shared/sealing/check-checkpoints.ts";
import { HOUR } from "../../support/security-events.ts";
import { MINUTE, START, useSealingStage } from "./stage.ts";

const stage = useSealingStage();
beforeEach(() => stage.reset());

const check = () =>
  createCheckCheckpoints({
    evidence: stage.evidence,
    checkpoints: {
      listSizes: async () => [...stage.checkpoints.keys()],
      read: async (size) => stage.checkpoints.get(size)?.at(-1),
    },
    keys: async () => stage.publicKeys(),
  })();

/** The log with a step in each of some hours. */
const seal = async (hours: number): Promise<void> => {
  for (let hour = 0; hour <= hours; hour++) {
    stage.time.now = START + hour * HOUR + 30 * MINUTE;
    await stage.record("acme", stage.time.now);
    stage.time.now = START + (hour + 1) * HOUR + 43 * MINUTE;
    await stage.run();
  }
};

it("finds all checkpoints of a log sound", async () => {
  expect(await check()).toEqual({ checked: 0, broken: [] });
  await seal(4);
  expect(await check()).toEqual({ checked: 4, broken: [] });
});

it("names a checkpoint of another text, of another key, of a larger log, and one that is missing", async () => {
  await seal(4);
  const [first = "", third = "", last = ""] = [1, 3, 4].map((size) => stage.checkpoints.get(size)?.[0]);
  stage.checkpoints.set(1, [third]);
  stage.checkpoints.set(3, [third.replace(/.{8}\n$/, "AAAAAAA=\n")]);
  stage.checkpoints.delete(4);
  expect((await check()).broken).toEqual([1, 3, 4]);
  stage.checkpoints.set(1, [first]).set(3, [third]).set(4, [last]).set(9, [last]);
  // A checkpoint that is newer than the state's is of a step that is under way.
  expect((await check()).broken).toEqual([]);
});

it("names every checkpoint from a changed leaf on", async () => {
  await seal(4);
  await stage.evidence.putLeaf(1, `{"hour":${START + 2 * HOUR},"root":"AAAA"}`);
  expect((await check()).broken).toEqual([2, 3, 4]);
});
