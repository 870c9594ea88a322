export const CUT_MARK = "…[cut]";
const CUT_MARK_CHARACTERS = [...CUT_MARK].length;

/** The first so many code points of a text. */
export const firstCharacters = (text: string, count: number): string => {
  if (text.length <= count) return text;
  let units = 0;
  for (let i = 0; i < count && units < text.length; i++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, units);
};

/** A text of at most so many code points: a longer one is cut, never within a code point, and ends in "…[cut]". */
export const cutText = (text: string, maxCharacters: number): string => {
  if (firstCharacters(text, maxCharacters).length === text.length) return text;
  // No bound in use is that small; without room for the mark the bound wins.
  if (maxCharacters < CUT_MARK_CHARACTERS) return firstCharacters(text, maxCharacters);
  return firstCharacters(text, maxCharacters - CUT_MARK_CHARACTERS) + CUT_MARK;
};
