/** The stores of mutes, of which several subjects are made. Both throw Error at cold start if the environment lacks a variable. */
import { createHiddenStore } from "../mutes/hidden-store.ts";
import { createMuteStore } from "../mutes/mute-store.ts";
import { readConfig } from "../runtime/config.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";

export const wireMuteStore = () => {
  const { RETENTION_DAYS: retentionDays } = readConfig(["RETENTION_DAYS"]);
  return createMuteStore(openTable("mutes"), { retentionDays, newToken: newRequestToken });
};

export const wireHiddenStore = () => createHiddenStore(openTable("mutes"), { newToken: newRequestToken });
