import { sampleOf } from "./depth.ts";

/** Characters of 1 to 4 bytes in UTF-8, and characters that JSON escapes. */
export const WIDE_CHARACTERS = sampleOf(["x", "é", "漢", "😀", "\u0000", "\u001f", '"', "\\", "\u2028"], 4);
