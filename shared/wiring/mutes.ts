/** The mutes of deployed functions. All throw Error at cold start if the environment lacks a variable. */
import { createCreateMute } from "../mutes/create-mute.ts";
import { createEndMute, createResolveMuteAlert } from "../mutes/end-mute.ts";
import { createMuteRecorder } from "../mutes/mute-events.ts";
import { createMuteStore } from "../mutes/mute-store.ts";
import { createReadMutes } from "../mutes/read-mutes.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { wireRecorder } from "./recorder.ts";
import { wireResolveCause } from "./security.ts";

export const wireMuteStore = () => {
  const { RETENTION_DAYS: retentionDays } = readConfig(["RETENTION_DAYS"]);
  return createMuteStore(openTable("mutes"), { retentionDays, newToken: newRequestToken });
};

const wireMuteRecorder = () => createMuteRecorder({ recorder: wireRecorder(), mutes: wireMuteStore() });

export const wireReadMutes = () => createReadMutes({ mutes: wireMuteStore(), now: systemClock });

export const wireCreateMute = () => createCreateMute({ mutes: wireMuteStore(), recordChange: wireMuteRecorder() });

export const wireEndMute = () =>
  createEndMute({
    mutes: wireMuteStore(),
    recordChange: wireMuteRecorder(),
    resolveAlert: createResolveMuteAlert(wireResolveCause()),
    now: systemClock,
  });
