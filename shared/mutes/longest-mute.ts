import { DAY_MS } from "../terms/hours.ts";

/** A mute begins at most this long after it was made, and ends at most this long after its beginning. */
export const MAX_MUTE_MS = 90 * DAY_MS;
