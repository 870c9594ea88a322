/** Runs whose provider dates its events earlier than its answers. docs/sync.md, "The feed". */
import { describe, expect, it } from "@jest/globals";
import { createRecordStore } from "../../../shared/records/record-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createStage, RECORDS, useSyncEngine } from "./stage.ts";

quietLog();

const engine = useSyncEngine();

const BEHIND_SECONDS = 600;

const customerOf = ({ behind = BEHIND_SECONDS, pageSize = 100 } = {}) => {
  const stage = createStage(engine, { pageSize });
  stage.world.dateEventsBehind(behind);
  const id = stage.world.create("customers", { name: "listed" }, { isSilent: true });
  const records = createRecordStore(createTable(stage.client, RECORDS));
  return {
    stage,
    id,
    name: async () => (await records.get(stage.organizationId, { type: "customers", id }))?.fields,
    later: (seconds: number) => {
      stage.time.now += seconds * 1_000;
    },
    rereads: () => stage.world.calls.filter(({ method }) => method === "readObject").length,
  };
};

/** A customer whose record is from the list of a full run that has just ended. */
const listed = async (options: Parameters<typeof customerOf>[0] = {}) => {
  const one = customerOf(options);
  await one.stage.sync();
  return one;
};

describe("an event that is dated before the answer that a record is from", () => {
  it.each([
    ["by half a minute", BEHIND_SECONDS - 30],
    ["by two seconds", BEHIND_SECONDS - 2],
  ])("and that the feed shows after it changes the record: %s", async (_, seconds) => {
    const { stage, id, name, later, rereads } = await listed();
    later(seconds);
    stage.world.update("customers", id, { name: "changed" });
    await expect(stage.sync()).resolves.toMatchObject({ mode: "incremental", status: "succeeded" });
    await expect(name()).resolves.toMatchObject({ name: "changed" });
    expect(rereads()).toBe(1);
  });

  it.each(["a state", "a touch"])("made after the feed was read changes the record: %s", async (what) => {
    const { stage, id, name, later } = await listed();
    // The feed is read before the object, and the next event is dated between both.
    stage.world.touch("customers", id);
    stage.world.onCall(({ method }) => {
      if (method === "readObject") later(300);
    });
    await stage.sync();
    later(BEHIND_SECONDS - 100);
    if (what === "a touch") {
      stage.world.fieldsOf("customers", id).name = "changed";
      stage.world.touch("customers", id);
    } else stage.world.update("customers", id, { name: "changed" });
    await stage.sync();
    await expect(name()).resolves.toMatchObject({ name: "changed" });
  });

  it("changes the record if it came while a long full run read the lists", async () => {
    const { stage, id, name, later } = customerOf();
    stage.world.onCall(({ method, type }) => {
      if (method === "listObjects" && type === "customers") later(300);
      if (method !== "listObjects" || type !== "payments") return;
      later(BEHIND_SECONDS - 100);
      stage.world.update("customers", id, { name: "changed" });
    });
    await expect(stage.sync()).resolves.toMatchObject({ mode: "full", status: "succeeded" });
    await expect(name()).resolves.toMatchObject({ name: "changed" });
  });
});

it("reads an object once in a run, though older events about it are on the next pages", async () => {
  const { stage, id, name, later, rereads } = await listed({ behind: 0, pageSize: 2 });
  for (const older of ["first", "second", "third", "fourth"]) {
    later(60);
    stage.world.update("customers", id, { name: older });
  }
  later(60);
  stage.world.update("customers", id, { name: "on the way" });
  stage.world.update("customers", id, { name: "last" });
  stage.world.onCall(() => later(3));
  await stage.sync();
  await expect(name()).resolves.toMatchObject({ name: "last" });
  expect(rereads()).toBe(1);
});
