/** The page `/console`. Decisions: docs/decisions.md, "The console". */
import type { HttpHandler } from "./middleware.ts";
import { createPageHandler, escapeHtml, type PageOptions, pagePolicy } from "./page.ts";

/** What the page must know to sign in. */
export type ConsoleSettings = {
  issuer: string;
  /** The page's client at the issuer; null if the deployment names none. The page then explains what to configure. */
  clientId: string | null;
  /** The scopes to ask for, separated by spaces. */
  scope: string;
  /** The `audience` or `resource` that the issuer wants in the request; null if it wants none. */
  audience: string | null;
};

/** Scripts cannot put text into the page as HTML or run it as code. https://www.w3.org/TR/trusted-types/ */
const TRUSTED_TYPES = ["require-trusted-types-for 'script'", "trusted-types 'none'"];

/** The page uses no feature of the device. https://www.w3.org/TR/permissions-policy/ */
const NO_FEATURES = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "encrypted-media",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "picture-in-picture",
  "screen-wake-lock",
  "serial",
  "usb",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

type ConsoleOptions = PageOptions & {
  /** The page, with `{{settings}}` in the place of the element that holds them. */
  template: string;
  settings: ConsoleSettings;
  /** Where the page may send requests to sign in and out. */
  identityOrigins: () => Promise<readonly string[]>;
};

/** The handler of `/console` and of the paths below: the page itself shows the view of its path. */
export const createConsoleHandler = ({
  template,
  settings,
  identityOrigins,
  ...options
}: ConsoleOptions): HttpHandler => {
  const meta = `<meta name="console" content="${escapeHtml(JSON.stringify(settings))}" />`;
  return createPageHandler({ ...options, page: template.replace("{{settings}}", () => meta) }, async () => ({
    "content-security-policy": pagePolicy(await identityOrigins(), TRUSTED_TYPES),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": NO_FEATURES,
  }));
};
