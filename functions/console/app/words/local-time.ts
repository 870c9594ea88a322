/** Times of an address, and of an input of the type `datetime-local`; time zones. */

/** Times of the address: epoch milliseconds, or what the API accepts too. @returns undefined if it is no time. */
export const instantOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(at) ? at : undefined;
};

const two = (value: number): string => String(value).padStart(2, "0");

/** A time as an input of the type `datetime-local` has it: in this browser's time zone, to the minute. */
export const toLocalInput = (at: number): string => {
  const date = new Date(at);
  const day = [String(date.getFullYear()).padStart(4, "0"), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

/** @returns the time as the address has it; undefined if the input is empty or incomplete. */
export const fromLocalInput = (value: string): string | undefined => {
  const at = new Date(value).getTime();
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

/** The user's time zone, such as Europe/Berlin. */
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `America/New_York` as "America/New York". */
export const zoneName = (zone: string): string => zone.replaceAll("_", " ");
