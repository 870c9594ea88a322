/** What this browser remembers for the user: choices and times, no data of the service. A sign-out keeps most of it. */

const nameOf = (name: string): string => `console.kept.${name}`;

/** Undefined if nothing is kept, or the browser keeps nothing. */
export const readKept = (name: string): string | undefined => {
  try {
    return localStorage.getItem(nameOf(name)) ?? undefined;
  } catch {
    return undefined;
  }
};

/** A browser that keeps nothing, or has no room, forgets it. */
export const writeKept = (name: string, text: string): void => {
  try {
    localStorage.setItem(nameOf(name), text);
  } catch {
    // The page works without it.
  }
};

export const forgetKept = (name: string): void => {
  try {
    localStorage.removeItem(nameOf(name));
  } catch {
    // It keeps nothing.
  }
};
