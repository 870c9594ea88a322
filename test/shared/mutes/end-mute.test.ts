import { expect, it } from "@jest/globals";
import { createEndMute } from "../../../shared/mutes/end-mute.ts";
import type { MuteItem } from "../../../shared/mutes/mute-item.ts";
import { createMuteWorld } from "../../support/mutes.ts";
import { createNotificationWorld, startNotificationTable } from "../../support/notifications.ts";
import { usePerFile } from "../../support/use-started.ts";

const table = usePerFile(startNotificationTable);

it("records, when it is repeated, an end whose request died after its write", async () => {
  const world = createNotificationWorld(table.translated());
  const muting = createMuteWorld(world, table.translated());
  const { id } = await muting.mute();
  await muting.end({ id });
  const recorded: MuteItem["change"][] = [];
  const end = createEndMute({
    mutes: muting.mutes,
    recordChange: async (_, { change }) => void recorded.push(change),
    resolveAlert: async () => undefined,
    now: () => world.time.now,
  });
  await end(id, {
    caller: { organizationId: world.organizationId, userId: "ada", sessionId: undefined },
    origin: { requestId: "again", ipAddress: "203.0.113.1" },
  });
  expect(recorded).toMatchObject([{ action: "end_mute" }]);
});
