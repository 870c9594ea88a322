/**
 * Keys of other vendors by their format. Sources: the rules of gitleaks (MIT),
 * https://github.com/gitleaks/gitleaks/blob/b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b/config/gitleaks.toml, and of
 * secretlint (MIT), https://github.com/secretlint/secretlint. A shorter key than the published one counts too, because a
 * key may be cut. Each pattern has at most one unbounded repetition, at its end, so its time is linear.
 */
import { byPattern, marker, type Recogniser } from "./recogniser.ts";

const A = "[A-Za-z0-9]";
const HEX = "[A-Fa-f0-9]";
const UUID = `${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`;

/** Includes the escapes of URLs. Otherwise only the part before an escape would be redacted. */
const PADDED = "(?:[\\w.=-]|%3D)";
const BASE64 = "(?:[\\w+/-]|%2[BF])";

/** The start of a word, also after an escaped line break (`\\n`) in JSON. */
const START = "(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))";

/** Formats by the shape of what follows the vendor's prefix. */
const FORMATS = [
  // Letters and digits
  `(?:npm|hf|api_org|pnu|pplx|ico|rdme|ntn|CLOJARS|lin_(?:api|oauth)|p8e|dp\\.(?:pt|st|ct|sa|scim|audit))[_.-]${A}{30,}`,
  `(?:AKCp${A}|EZ[AT]K|EAA[A-Z]|cmVmd)${A}{50,}`,
  `(?:4b1d${A}{17}|LTAI|sm_[aps]at_)${A}{16,}`,
  `(?:API-|AGE-SECRET-KEY-1)[A-Z0-9]{26,}`,
  `A3(?:-[A-Z0-9]{5,11}){5,6}`,
  `A{22}[A-Za-z0-9%]{80,}`,
  // Hexadecimal digits
  `(?:do[opr]_v1_|rubygems_|pul-|sntryu_|shp[a-z]{2,3}_|shippo_(?:live|test)_|s-s4t2(?:ud|af)-|dapi|SK|(?:pub)?key-)${HEX}{32,}`,
  `sgp_(?:(?:local|${HEX}{16})_)?${HEX}{40}`,
  `v1\\.0-${HEX}{24}-${HEX}{100,}`,
  `PMAK-${HEX}{24}-${HEX}{34}`,
  `access-(?:sandbox|development|production)-${UUID}`,
  // Base64 and URL-safe base64
  `(?:gh[a-z]|github_pat)_\\w{20,}`,
  `(?:xoxe\\.)?xox[a-z]-[\\w-]{8,}`,
  `xapp-\\d-[\\w-]{6,}`,
  `(?:sk|NR(?:JS|II|AK|AL|RA)|gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)|sq0[a-z]{3}|pypi|dnkey|HRKU|FLW(?:SEC|PUB)K(?:_TEST)?)-${PADDED}{12,}`,
  `(?:GR1348941|EAAA)[\\w-]{20,}`,
  `(?:AIza|AQVN)[\\w-]{30,}`,
  `YC[\\w-]{38}(?![\\w-])`,
  `(?:duffel_(?:test|live)|pscale_(?:tkn|oauth|pw)|fio-u|fo1|tk-us|tfp|figd|sq[apu])[_-]${PADDED}{32,}`,
  `(?:SG|sl)\\.${PADDED}{60,}`,
  `hv[bs]\\.[\\w-]{24,}`,
  `ATATT3${PADDED}{60,}`,
  `glsa_${A}{32}_${HEX}{8}`,
  `(?:glc|fm1[ar]|fm2)_${BASE64}{32,}={0,3}`,
  `(?:ABSK|ZXlK|bedrock-api-key-)${BASE64}{20,}={0,2}`,
  // A JSON Web Token whose header begins with a space
  `ey[\\w-]{17,600}\\.ey[\\w-]{17,}(?:\\.[\\w-]{0,600})?`,
  `sha256~[\\w-]{43}`,
  // Several parts
  `(?:dt0c01|pat${A}{14}|[ps]k\\.${A}{60})\\.${A}{22,}(?:\\.${A}{40,})?`,
  `(?:pat|sat)\\.[\\w-]{22}\\.${A}{24}\\.${A}{20}`,
  `(?:sc|ext|scauth|authress)_${A}{5,30}\\.${A}{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[\\w+/=-]{30,}`,
  `xkeysib-${HEX}{64}-${A}{16}`,
  `t1\\.[\\w-]{1,300}={0,2}\\.[\\w-]{86}={0,2}`,
  `(?:live|test)_(?:pub_)?(?=[A-Za-z]*\\d)${PADDED}{31,}`,
  `s\\.(?=[A-Za-z]*\\d)${A}{24}(?!\\w)`,
];

/** Formats that begin with any characters: only a text with the literal is searched. */
const INNER_LITERALS: readonly (readonly [literal: string, format: RegExp])[] = [
  ["-us", new RegExp(`${START}${HEX}{32}-us\\d\\d?(?!\\w)`, "g")],
  ["Q~", new RegExp(`${START}[\\w~.]{3}\\dQ~[\\w~.-]{31,34}`, "g")],
  [".atlasv1.", new RegExp(`${START}${A}{14}\\.atlasv1\\.[\\w=-]{60,}`, "g")],
  ["_mmk", new RegExp(`${START}${A}{6}_${A}{29}_mmk`, "g")],
  ["%7C", new RegExp(`${START}\\d{15,16}%7C[\\w-]{27,40}`, "g")],
  ["|", new RegExp(`${START}\\d{15,16}\\|[\\w-]{27,40}`, "g")],
  // A bot's token follows the word `bot` in URLs.
  ["%3AA", /(?<!\d)\d{5,16}%3AA[\w-]{34}/g],
  [":A", /(?<!\d)\d{5,16}:A[\w-]{34}/g],
];

const byPrefix = byPattern("vendor_key", new RegExp(`${START}(?:${FORMATS.join("|")})`, "g"));
const vendorKey: Recogniser = {
  ...byPrefix,
  redact: (text) =>
    INNER_LITERALS.reduce(
      (redacted, [literal, format]) =>
        redacted.includes(literal) ? redacted.replace(format, marker("vendor_key")) : redacted,
      byPrefix.redact(text),
    ),
};

/** Whether 40 characters of base64 look random: in texts and paths, fewer neighbours are of another kind. */
const MIN_CHANGES = 15;
const kindOf = (character: string): string =>
  /[a-z]/.test(character) ? "lower" : /[A-Z]/.test(character) ? "upper" : /\d/.test(character) ? "digit" : "sign";
const looksRandom = (text: string): boolean => {
  const kinds = [...text].map(kindOf);
  const changes = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
  return changes >= MIN_CHANGES && kinds.includes("lower") && kinds.includes("upper");
};

const AWS_SECRET_LENGTH = 40;
/** Skips shorter texts, which are most texts. */
const onlyFrom = (length: number, { redact, ...recogniser }: Recogniser): Recogniser => ({
  ...recogniser,
  redact: (text) => (text.length < length ? text : redact(text)),
});

/** In the order of use. */
export const vendorKeys: readonly Recogniser[] = [
  // Each of these URLs is a credential: any client with the URL can post to the channel.
  byPattern(
    "webhook_url",
    /(?<kept>(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api(?:\/v\d+)?\/webhooks|webhook\.office\.com\/webhookb2)\/)[\w@+/-]{20,}/g,
  ),
  vendorKey,
  // A secret access key has no prefix: exactly 40 characters of base64.
  onlyFrom(
    AWS_SECRET_LENGTH,
    byPattern("aws_secret", /(?:(?<![\w+/.-])|(?<=\\[nrt]))[A-Za-z0-9+/]{40}(?![\w+/=]|[.-]\w)/g, looksRandom),
  ),
];
