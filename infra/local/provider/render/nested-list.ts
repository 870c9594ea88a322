/** A nested list contains at most this number of objects; its URL lists all. */
const MAX_NESTED = 10;

/** A list inside an object: its beginning, and whether there is more. */
export const nestedList = <T>(all: readonly T[], url: string) => ({
  object: "list",
  data: all.slice(0, MAX_NESTED),
  has_more: all.length > MAX_NESTED,
  total_count: all.length,
  url,
});
