import type { Connection } from "../../api/types.ts";
import type { Tone } from "../../parts/tone.ts";

export const statusWords: Readonly<Record<Connection["status"], readonly [Tone, string]>> = {
  connected: ["good", "Connected"],
  needs_reconnect: ["bad", "Needs reconnecting"],
  disconnected: ["quiet", "Disconnected"],
};
