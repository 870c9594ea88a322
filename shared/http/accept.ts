/** Reads the Accept header. RFC 9110, 12.5.1. */

type Range = { type: string; subtype: string; weight: number };

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** One media range with its weight; undefined if the text is malformed. Other parameters are ignored. */
const parseRange = (text: string): Range | undefined => {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const [type, subtype, ...rest] = name.split("/");
  if (!type || !subtype || rest.length > 0) return undefined;
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return QUALITY.test(quality) ? { type, subtype, weight: Number(quality) } : undefined;
};

/** The weight of the most specific range that matches a media type; 0 if no range matches. */
const weightOf = (ranges: readonly Range[], type: string, subtype: string): number => {
  const matching = [
    ranges.filter((range) => range.type === type && range.subtype === subtype),
    ranges.filter((range) => range.type === type && range.subtype === "*"),
    ranges.filter((range) => range.type === "*" && range.subtype === "*"),
  ].find((found) => found.length > 0);
  return Math.max(0, ...(matching ?? []).map(({ weight }) => weight));
};

/**
 * Whether the caller prefers HTML to JSON. Without a preference, the answer is JSON.
 * @param accept the header as received; repeated headers are joined by commas.
 */
export const prefersHtml = (accept: string | undefined): boolean => {
  const ranges = (accept ?? "").split(",").flatMap((text) => parseRange(text) ?? []);
  return weightOf(ranges, "text", "html") > weightOf(ranges, "application", "json");
};
