/**
 * Secrets with a name: `password=…`, `token: …`, `"apiKey":"…"`, `card[cvc]=…`, `<secret>…`, a cookie header; in URLs, and
 * in JSON inside JSON strings at any depth. A pattern finds the name, code finds the end of the value. Each character is
 * read a bounded number of times, so the time is linear.
 */
import { marker, type Recogniser } from "./recogniser.ts";
import { isRandom, meaningOfName, type NameMeaning } from "./sensitive-name.ts";

/** A name, words that may precede it, and the separator before the value. A marker is not a name. */
const NAME =
  /(?<![A-Za-z0-9_]|\[redacted:)((?:(?:api|access|account|acct|bank|card|client|private|routing|secret|security|signing|sort) ){0,2}[A-Za-z_][\w.-]{0,63})(\]?\\{0,15}["'`]?\s{0,3}(?::=|=>|={1,3}|:|>)\s{0,3})/gi;

/** Skipped: the parts of an ARN look like names (`secretsmanager`, `secret`). */
const ARN = /arn:aws[\w-]{0,20}:[\w-]{1,30}:[\w-]{0,30}:\d{0,12}:[\w:/.@-]{1,300}/y;

const OPENING_QUOTE = /(\\{0,15})(["'`])/y;
const BRACKET_OR_QUOTE = /[[\]{}]|\\*"/g;
const MARKER = /\[redacted:[a-z_]+\]/y;
const ONLY_MARKER = /^\[redacted:[a-z_]+\][)\]},;.:!?\\]*$/;
const TRAILING_PUNCTUATION = /[)\]},;.:!?\\]{1,8}$/;

/** Words that follow a name in prose, as in `token: expected a JWT`; they are not secrets. */
const PROSE =
  /(?:true|false|null|undefined|none|expected|required|missing|invalid|expired|malformed|wrong|refused|denied|failed|must|should|could|cannot|does|has|is|was|not|no|the|an?|unknown|signature|claim)(?=[,.;)}\]"'\\]{0,3}(?:[\s,}\]]|$))/iy;

/** One character of a value without quotes. An escaped line break (in JSON inside a string) ends the value. */
const character = (ends: string): string => `(?:(?!\\\\{1,15}[nrt"'])[^\\s"'\`<>&${ends}])`;
/** A comma or semicolon ends a value if another name follows. */
const VALUE = `(?:(?![,;]\\s{0,3}[\\w.-]{1,64}["']?[:=])${character("")})+`;
const PLAIN = new RegExp(VALUE, "y");
const AFTER_SCHEME = new RegExp(`(?:(?:basic|bearer|digest|token|apikey|negotiate)[ \\t]{1,3})?${VALUE}`, "iy");
/** Groups of digits, or of digits and letters. */
const GROUPS = new RegExp(`${character(",;")}+(?: (?=[A-Za-z]{0,4}\\d)[A-Za-z0-9-]{1,8}(?![^\\s.,;)}\\]"'&]))*`, "y");
/** `abc`, `Bearer abc`, `Digest username="u", response="r"`, `AWS4-HMAC-SHA256 Credential=…, Signature=…` */
const AUTHORIZATION = new RegExp(
  `[A-Za-z][\\w-]{0,30}[ \\t]{1,3}${VALUE}(?:"[^"]*")?(?:,[ \\t]{0,3}[\\w-]{1,40}=(?:"[^"]*"|${VALUE}))*|${VALUE}`,
  "y",
);
const COOKIES = new RegExp(`${character(";")}+(?:;[ \\t]{0,3}${character(";")}+)*`, "y");
const RANDOM = /[\w+/~-]{20,512}={0,2}/y;

const patternOfValue = ({ secret, onlyRandom }: NameMeaning): RegExp => {
  if (onlyRandom === true) return RANDOM;
  if (secret === "authorization") return AUTHORIZATION;
  if (secret === "cookie") return COOKIES;
  if (secret === "token" || secret === "key") return AFTER_SCHEME;
  return secret === "card" || secret === "cvc" || secret === "account" ? GROUPS : PLAIN;
};

type Span = { from: number; to: number };

/** The index of the closing quote; the text's end if the quote is missing. @param backslashes before the opening quote. */
const findClosing = (text: string, from: number, quote: string, backslashes: number): number => {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > from && text[at - before - 1] === "\\") before++;
    const surplus = before - backslashes;
    // Each level of nesting doubles the backslashes and adds one: three before a quote in a string in a string.
    if (surplus <= 0 || surplus % (2 * (backslashes + 1)) === 0) return at;
  }
  return text.length;
};

const findBracketEnd = (text: string, from: number): number => {
  let depth = 0;
  BRACKET_OR_QUOTE.lastIndex = from;
  for (let match = BRACKET_OR_QUOTE.exec(text); match !== null; match = BRACKET_OR_QUOTE.exec(text)) {
    const [found] = match;
    if (found.endsWith('"')) {
      BRACKET_OR_QUOTE.lastIndex = findClosing(text, BRACKET_OR_QUOTE.lastIndex, '"', found.length - 1) + 1;
    } else {
      depth += found === "[" || found === "{" ? 1 : -1;
      if (depth <= 0) return BRACKET_OR_QUOTE.lastIndex;
    }
  }
  return text.length;
};

const matchEnd = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
};

/** The value that starts here; undefined if prose or a marker starts here. */
const findValue = (text: string, start: number, meaning: NameMeaning): Span | undefined => {
  OPENING_QUOTE.lastIndex = start;
  const opening = OPENING_QUOTE.exec(text);
  if (opening !== null) {
    const [all, backslashes = "", quote = ""] = opening;
    const from = start + all.length;
    const closing = findClosing(text, from, quote, backslashes.length);
    const to = closing === text.length ? closing : Math.max(from, closing - backslashes.length);
    return { from, to };
  }
  if (matchEnd(PROSE, text, start) > start) return undefined;
  const first = text[start];
  if ((first === "[" || first === "{") && meaning.onlyRandom !== true && matchEnd(MARKER, text, start) === start) {
    return { from: start, to: findBracketEnd(text, start) };
  }
  const end = matchEnd(patternOfValue(meaning), text, start);
  const value = text.slice(start, end);
  if (ONLY_MARKER.test(value)) return undefined;
  return { from: start, to: end - (TRAILING_PUNCTUATION.exec(value)?.[0].length ?? 0) };
};

/** The meaning of a name in a text. After `?` or `&`, `code` is OAuth's. Before `>`, only a tag is a name. */
const meaningInText = (text: string, index: number, name: string, separator: string): NameMeaning => {
  const before = text[index - 1];
  if (separator.includes(">") && !separator.includes("=") && before !== "<") return {};
  if (name === "code" && (before === "?" || before === "&")) return { secret: "token" };
  return meaningOfName(name);
};

const isSecret = (value: string, { numbersToo, onlyRandom }: NameMeaning): boolean =>
  value !== "" &&
  !ONLY_MARKER.test(value) &&
  (numbersToo === true || !/^\d{1,15}$/.test(value)) &&
  (onlyRandom !== true || isRandom(value));

export const namedValue: Recogniser = {
  name: "named value",
  redact: (text) => {
    let redacted = "";
    let done = 0;
    NAME.lastIndex = 0;
    for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
      const [, name = "", separator = ""] = match;
      if (name === "arn") NAME.lastIndex = Math.max(NAME.lastIndex, matchEnd(ARN, text, match.index));
      const meaning = meaningInText(text, match.index, name, separator);
      if (meaning.secret === undefined) continue;
      const span = findValue(text, NAME.lastIndex, meaning);
      if (span === undefined || !isSecret(text.slice(span.from, span.to), meaning)) continue;
      redacted += text.slice(done, span.from) + marker(meaning.secret);
      done = span.to;
      NAME.lastIndex = span.to;
    }
    return redacted + text.slice(done);
  },
};
