/** The newest version that the simulator knows: its accounts speak it unless they are told another. */
export const CURRENT_API_VERSION = "2026-10-28.endive";

/** Since then periods are the items', and what an invoice belongs to is under `parent`. */
const BASIL_DATE = "2025-03-31";

/** How objects look: as since the provider's version "basil", or as before it. */
export type Shape = "basil" | "legacy";

/** A version as clients send it; previews add more after a semicolon. */
export const isApiVersion = (text: string): boolean => /^\d{4}-\d{2}-\d{2}(\.[a-z]+)?(;.*)?$/.test(text);

export const shapeOf = (apiVersion: string): Shape => (apiVersion.slice(0, 10) >= BASIL_DATE ? "basil" : "legacy");
