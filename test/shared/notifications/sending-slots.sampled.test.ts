import { describe, expect, it } from "@jest/globals";
import { backgroundFunctions } from "../../../shared/api/background-functions.ts";
import {
  CROWDED,
  createSendingSlots,
  SLOT_LEASE_MS,
  SLOTS,
  SLOTS_OF_DESTINATION,
  SLOTS_OF_SLOW,
} from "../../../shared/notifications/sending-slots.ts";
import { deepIt } from "../../support/deep-it.ts";
import { NOON } from "../../support/notifications.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useDatabase } from "../../support/use-table.ts";

quietLog();
const database = useDatabase("notifications");
const slots = createSendingSlots(database.table("notifications"));

let organizations = 0;
let tokens = 0;
const newOrganization = () => `acme ${++organizations}`;

const takeOne = (organizationId: string, id: string, { isSlow = false, now = NOON } = {}) =>
  slots.take(organizationId, { id, isSlow }, { token: `token ${tokens++}`, now });

/** A hundred tries at once. @param ids of the destinations, in turn. */
const takeHundred = async (organizationId: string, ids: readonly string[], options?: Parameters<typeof takeOne>[2]) => {
  const taken = await Promise.all(
    Array.from({ length: 100 }, (_, i) => takeOne(organizationId, ids[i % ids.length] ?? "", options)),
  );
  return taken.filter((slot) => slot !== undefined);
};

const twenty = Array.from({ length: 20 }, (_, i) => `destination ${i}`);

describe("slots", () => {
  it("are as many for a destination as it may have, however many tries ask at once", async () => {
    const organizationId = newOrganization();
    expect(await takeHundred(organizationId, ["one"])).toHaveLength(SLOTS_OF_DESTINATION);
    expect(await takeHundred(organizationId, ["one"])).toEqual([]);
    expect(await takeHundred(newOrganization(), ["one"])).toHaveLength(SLOTS_OF_DESTINATION);
  });

  deepIt("are as many for all destinations as the organization has, and slow ones have others", async () => {
    const organizationId = newOrganization();
    expect(await takeHundred(organizationId, twenty, { isSlow: true })).toHaveLength(SLOTS_OF_SLOW);
    expect(await takeHundred(organizationId, twenty)).toHaveLength(SLOTS);
    expect(await takeHundred(organizationId, twenty, { isSlow: true })).toEqual([]);
  });

  it("of two organizations leave instances of the sender for others", () => {
    const [{ maxConcurrency }] = backgroundFunctions["send-notifications"].triggers;
    expect(2 * (SLOTS + SLOTS_OF_SLOW)).toBeLessThan(maxConcurrency);
  });

  deepIt(
    "are free again after a release by the try that has them, and after a crash when their lease has ended",
    async () => {
      const organizationId = newOrganization();
      const crowded = (await takeHundred(organizationId, ["one"])).find(({ isCrowded }) => isCrowded);
      if (crowded === undefined) throw new Error("No slot is crowded.");
      await slots.release(organizationId, { ...crowded, token: "of another try" });
      expect(await takeHundred(organizationId, ["one"])).toEqual([]);
      await slots.release(organizationId, crowded);
      expect(await takeHundred(organizationId, ["one"])).toHaveLength(1);
      expect(await takeHundred(organizationId, ["one"], { now: NOON + SLOT_LEASE_MS - 1 })).toEqual([]);
      expect(await takeHundred(organizationId, ["one"], { now: NOON + SLOT_LEASE_MS })).toHaveLength(
        SLOTS_OF_DESTINATION,
      );
    },
  );

  it("cost no write at their end while few are in use", async () => {
    const organizationId = newOrganization();
    let writes = 0;
    const client = database.newClient();
    client.middlewareStack.add((next) => (args) => {
      writes++;
      return next(args);
    });
    const counted = createSendingSlots(database.table("notifications", client));
    for (let inUse = 1; inUse <= SLOTS_OF_DESTINATION; inUse++) {
      const slot = await takeOne(organizationId, "one");
      if (slot === undefined) throw new Error("No slot is free.");
      writes = 0;
      if (inUse < CROWDED) await counted.release(organizationId, slot);
      expect([inUse, slot.isCrowded, writes]).toEqual([inUse, inUse >= CROWDED, 0]);
      if (inUse === SLOTS_OF_DESTINATION) {
        await counted.release(organizationId, slot);
        expect(writes).toBe(1);
      }
    }
  });

  it("are used again by an instance that kept them, with one write each time", async () => {
    const organizationId = newOrganization();
    let writes = 0;
    const client = database.newClient();
    client.middlewareStack.add((next) => (args) => {
      writes++;
      return next(args);
    });
    const instance = createSendingSlots(database.table("notifications", client));
    const names = new Set<string>();
    for (let tries = 1; tries <= SLOTS; tries++) {
      const slot = await instance.take(organizationId, { id: "one" }, { token: `own ${tries}`, now: NOON });
      if (slot === undefined) throw new Error("No slot is free.");
      names.add(slot.name);
      await instance.release(organizationId, slot);
      expect(writes).toBe(tries);
    }
    expect(names.size).toBe(1);
    const others = await takeHundred(organizationId, ["one"]);
    expect(others).toHaveLength(SLOTS_OF_DESTINATION - 1);
    // One try has the slot again, so a second one of the same instance has none.
    const again = () => instance.take(organizationId, { id: "one" }, { token: `token ${tokens++}`, now: NOON });
    expect((await again())?.name).toBe([...names][0]);
    expect(await again()).toBeUndefined();
  });

  it("belong to a try whose answer was lost", async () => {
    const organizationId = newOrganization();
    const by = { token: "token of a repeated call", now: NOON };
    const first = await slots.take(organizationId, { id: "one" }, by);
    expect(await slots.take(organizationId, { id: "one" }, by)).toEqual(first);
    // Of the others, two take what is left but one.
    expect(await takeHundred(organizationId, ["one"])).toHaveLength(SLOTS_OF_DESTINATION - 1);
  });
});
