/** What events store: redacted first, then cut, since half of a secret would not be recognised any more. */

import { cutMetadata } from "./cut-metadata.ts";
import { cutText } from "./cut-text.ts";
import { type Json, redact, redactText } from "./redact.ts";

/** A text of at most so many code points; a longer one ends in "…[cut]". */
export const sanitiseText = (text: string, maxCharacters: number): string => cutText(redactText(text), maxCharacters);

/** Metadata of at most 2 KB of UTF-8 JSON; a larger one says `"cut": true`. */
export const sanitiseMetadata = (metadata: unknown): Json => cutMetadata(redact(metadata));
