/** What a colour says. A word beside it says the same. */
export type Tone = "good" | "warn" | "bad" | "quiet" | "accent";
