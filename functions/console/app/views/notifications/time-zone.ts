/** The user's time zone, such as Europe/Berlin. */
export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
