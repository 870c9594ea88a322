/** Alerts with their mutes, in a deployed function. Both throw Error at cold start if the environment lacks a variable. */
import { createListMutedAlerts, createWithMutes } from "../mutes/muted-alerts.ts";
import { systemClock } from "../runtime/clock.ts";
import { wireHiddenStore, wireMuteStore } from "./mute-stores.ts";

export const wireWithMutes = () => createWithMutes({ mutes: wireMuteStore(), now: systemClock });

export const wireListMutedAlerts = () =>
  createListMutedAlerts({ mutes: wireMuteStore(), hidden: wireHiddenStore(), now: systemClock });
