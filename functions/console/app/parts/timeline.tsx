/** What happened to a thing, one entry below the other. */
import type { ComponentChildren } from "preact";
import type { Tone } from "../words/format.ts";
import { Time } from "./values.tsx";

type EntryProps = {
  /** Epoch milliseconds. */
  at: number;
  tone?: Tone;
  /** The sentence that says what happened. */
  what: ComponentChildren;
  /** Beside the time. */
  note?: string;
  children?: ComponentChildren;
};

export const TimelineEntry = ({ at, tone = "quiet", what, note, children }: EntryProps) => (
  <li class={`timeline-entry ${tone}`}>
    <p class="timeline-what">{what}</p>
    <p class="quiet">
      <Time at={at} />
      {note !== undefined && ` · ${note}`}
    </p>
    {children}
  </li>
);

/** @param label names the list. */
export const Timeline = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <ol class="timeline" aria-label={label}>
    {children}
  </ol>
);
