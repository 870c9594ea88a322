/** The log as the integrity of many organizations reads it: once for all of them, with the same answers. */
import { beforeEach, expect, it } from "@jest/globals";
import { createReadIntegrity } from "../../../shared/sealing/read-integrity.ts";
import { createReadLog, rememberLog } from "../../../shared/sealing/read-log.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { HOUR } from "../../support/security-events.ts";
import { MINUTE, START, useSealingStage } from "./stage.ts";

const stage = useSealingStage();
const AT = (hours: number, minutes = 0): number => START + hours * HOUR + minutes * MINUTE;
const ORGANIZATIONS = ["acme", "other", "idle"];

const passHour = async (hour: number): Promise<void> => {
  for (const id of ["acme", "other"]) {
    stage.time.now = AT(hour, 10);
    await stage.record(id, AT(hour, 10));
  }
  stage.time.now = AT(hour + 1, 43);
  await stage.run();
};

beforeEach(async () => {
  await stage.reset();
  for (const hour of [0, 1, 2]) await passHour(hour);
});

/** `reads`: how often the whole log was read. */
const world = () => {
  const counted = { reads: 0 };
  const readLog = createReadLog({
    evidence: {
      listLeaves: (from, to) => {
        counted.reads++;
        return stage.evidence.listLeaves(from, to);
      },
      getSlots: stage.evidence.getSlots,
    },
    checkpoints: { read: async (size) => stage.checkpoints.get(size)?.at(-1) },
  });
  const now = () => stage.time.now;
  const integrity = (remembered = rememberLog(readLog, now)) =>
    createReadIntegrity({
      evidence: stage.evidence,
      readLog: remembered,
      readHour: stage.readHour,
      listDue: stage.dueSeals.listDue,
      isErasing: async () => false,
      keys: async () => stage.signingKeys(),
      now,
    });
  return { counted, readLog, integrity };
};

const span = { since: AT(1), until: AT(3) };

it("is read once for the organizations of an instance, and answers as if it were read for each", async () => {
  const { counted, readLog, integrity } = world();
  const read = integrity();
  const answers = [];
  for (const id of ORGANIZATIONS) answers.push(await read(id, span));
  expect(counted.reads).toBe(1);
  const each = integrity(readLog);
  for (const [index, id] of ORGANIZATIONS.entries()) expect(answers[index]).toEqual(await each(id, span));
  expect(answers.map(({ log }) => log)).toEqual(["consistent", "consistent", "consistent"]);
});

it("is read again after the next step, and after five minutes", async () => {
  const { counted, integrity } = world();
  const read = integrity();
  await read("acme", span);
  await passHour(3);
  expect(await read("acme", { since: AT(1), until: AT(4) })).toMatchObject({ log: "consistent" });
  expect(counted.reads).toBe(2);
  stage.time.now += 5 * MINUTE;
  await read("acme", span);
  expect(counted.reads).toBe(3);
});

it("is read again while it is not the signed one, and an organization's own records are judged in any case", async () => {
  const { counted, integrity } = world();
  const read = integrity();
  const texts = stage.checkpoints.get(2) ?? [];
  stage.checkpoints.set(2, []);
  expect([await read("acme", span), await read("other", span)]).toMatchObject([{ log: "broken" }, { log: "broken" }]);
  expect(counted.reads).toBe(2);
  stage.checkpoints.set(2, texts);
  expect(await read("acme", span)).toMatchObject({ log: "consistent" });
  const head = await stage.evidence.getHead(organizationKey("other"));
  await stage.tamperHead("other", { size: (head?.size ?? 0) + 1 });
  expect(await read("other", span)).toMatchObject({ log: "broken" });
  expect(counted.reads).toBe(3);
});
