import type { ComponentChildren } from "preact";
import type { Alert } from "../api/types.ts";
import type { Tone } from "./tone.ts";

/** A word with a colour. The word says everything that the colour says. */
export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** A risk level. */
export const Level = ({ level }: { level: Alert["level"] }) => (
  <span class={`badge level ${level.toLowerCase()}`}>{level.charAt(0) + level.slice(1).toLowerCase()}</span>
);
