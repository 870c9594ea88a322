/** Names of the API as words: `RATE_LIMIT_EXCEEDED` and `retryAfter` as "Rate limit exceeded" and "Retry after". */

const ABBREVIATIONS = /\b(api|id|ids|ip|url|oauth|http)\b/gi;

const spell = (word: string): string => {
  const known: Readonly<Record<string, string>> = { ids: "IDs", oauth: "OAuth" };
  return known[word.toLowerCase()] ?? word.toUpperCase();
};

export const inWords = (name: string): string => {
  const separate = /^[A-Z0-9_]+$/.test(name) ? name : name.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  const words = separate
    .replaceAll(/[_\s]+/g, " ")
    .trim()
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replaceAll(ABBREVIATIONS, spell);
};
