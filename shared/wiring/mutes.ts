/** The mutes of deployed functions. All throw Error at cold start if the environment lacks a variable. */
import { createCreateMute } from "../mutes/create-mute.ts";
import { createEndDueMutes } from "../mutes/end-due-mutes.ts";
import { createEndMute, createResolveMuteAlert } from "../mutes/end-mute.ts";
import { createMuteRecorder } from "../mutes/mute-events.ts";
import { createReadMutes } from "../mutes/read-mutes.ts";
import { systemClock } from "../runtime/clock.ts";
import { wireMuteStore } from "./mute-stores.ts";
import { wireReleaseHidden } from "./notifications.ts";
import { wireRecorder } from "./recorder.ts";
import { wireResolveCause } from "./security.ts";

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

export const wireEndDueMutes = () =>
  createEndDueMutes({
    mutes: wireMuteStore(),
    recordChange: wireMuteRecorder(),
    resolveAlert: createResolveMuteAlert(wireResolveCause()),
    release: wireReleaseHidden(),
    now: systemClock,
  });
