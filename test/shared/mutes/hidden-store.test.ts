import { describe, expect, it } from "@jest/globals";
import type { Span } from "../../../shared/mutes/mute-times.ts";
import { createMuteWorld } from "../../support/mutes.ts";
import { createNotificationWorld, NOON, startNotificationTable } from "../../support/notifications.ts";
import { usePerFile } from "../../support/use-started.ts";

const HOUR = 3_600_000;

const table = usePerFile(startNotificationTable);

describe("alerts that wait for the end of a mute", () => {
  it("are listed up to a limit, without those of a later span", async () => {
    const world = createNotificationWorld(table.translated());
    const { hidden, mute: create } = createMuteWorld(world, table.translated());
    const mute = await create({ until: NOON + 9 * HOUR });
    const hide = (id: string, span: Span) =>
      hidden.hide(world.organizationId, { mute, span }, { id, level: "LOW" }, []);
    for (const id of ["a", "c"]) await hide(id, { from: NOON, until: NOON + HOUR });
    for (const id of ["b", "d"]) await hide(id, { from: NOON + HOUR, until: NOON + 2 * HOUR });
    const list = async (until: number, limit: number) => {
      const { items, hasMore } = await hidden.listPending(world.organizationId, mute.id, { until, limit });
      return { ids: items.map(({ alertId }) => alertId), hasMore };
    };
    expect(await list(NOON + HOUR, 2)).toEqual({ ids: ["a", "c"], hasMore: false });
    expect(await list(NOON + HOUR, 1)).toEqual({ ids: ["a"], hasMore: true });
    expect(await list(NOON + 9 * HOUR, 9)).toEqual({ ids: ["a", "b", "c", "d"], hasMore: false });
  });
});
