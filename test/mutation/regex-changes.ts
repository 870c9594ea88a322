/** The parts of a pattern: an escape, a class with its brackets, the start of a group, a bound, or one character. */
const token =
  /\\(?:[pP]\{[^}]*\}|k<[^>]*>|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]+>)|\{\d+(?:,\d*)?\}\??|[*+?]\??|./gsu;

const opposites: Record<string, string> = {
  "\\d": "\\D",
  "\\D": "\\d",
  "\\s": "\\S",
  "\\S": "\\s",
  "\\w": "\\W",
  "\\W": "\\w",
  "\\b": "",
  "\\B": "",
  "^": "",
  $: "",
  "(?=": "(?!",
  "(?!": "(?=",
  "(?<=": "(?<!",
  "(?<!": "(?<=",
};

/** One changed bound: `{2,5}` becomes `{3,5}` and `{2,4}`. */
const changedBounds = (text: string): string[] => {
  const [, least = "", comma, most = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
  if (comma === "") return [`{${Number(least) + 1}}`];
  const changed = [`{${Number(least) + 1},${most}}`];
  if (most !== "") changed.push(`{${least},${Number(most) - 1}}`);
  return changed.filter((bound) => {
    const [, from = "0", to = ""] = /(\d+),(\d*)/.exec(bound) ?? [];
    return to === "" || Number(from) <= Number(to);
  });
};

const changedToken = (text: string): string[] => {
  const opposite = opposites[text];
  if (opposite !== undefined) return [opposite];
  if (text.startsWith("[")) return [text.startsWith("[^") ? `[${text.slice(2)}` : `[^${text.slice(1)}`];
  if (text.startsWith("{")) return changedBounds(text);
  if (/^\*\??$/.test(text)) return [text.replace("*", "+")];
  if (/^\+\??$/.test(text)) return ["", text.replace("+", "*")];
  if (text === "?") return [""];
  return [];
};

const isValid = (pattern: string, flags: string): boolean => {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
};

/** Literals of other patterns near the given one: anchors, bounds, classes, alternatives and flags. */
export const regexChanges = (text: string): string[] => {
  const end = text.lastIndexOf("/");
  const [pattern, flags] = [text.slice(1, end), text.slice(end + 1)];
  const tokens = [...pattern.matchAll(token)];
  const replaced = (start: number, length: number, by: string): string =>
    pattern.slice(0, start) + by + pattern.slice(start + length);
  const changed = tokens.flatMap(({ 0: found, index }) =>
    changedToken(found).map((by) => replaced(index, found.length, by)),
  );
  // An alternative is left out: the text between two bars, or between a bar and the end of its group.
  const edges: number[][] = [[-1]];
  for (const { 0: found, index } of tokens) {
    if (found === "|") edges.at(-1)?.push(index);
    else if (found.startsWith("(")) edges.push([index + found.length - 1]);
    else if (found === ")") leaveGroup(edges.pop() ?? [], index);
  }
  leaveGroup(edges.pop() ?? [], pattern.length);
  function leaveGroup([open = -1, ...bars]: number[], close: number): void {
    if (bars.length === 0) return;
    changed.push(replaced(open + 1, (bars[0] ?? 0) - open, ""));
    for (const [place, bar] of bars.entries()) changed.push(replaced(bar, (bars[place + 1] ?? close) - bar, ""));
  }
  const literals = changed
    .filter((other) => isValid(other, flags) && other !== "")
    .map((other) => `/${other}/${flags}`);
  if (flags.includes("i")) literals.push(`/${pattern}/${flags.replace("i", "")}`);
  return [...new Set(literals)];
};
