/**
 * Removes the unused parts of the provider's SDK from bundles. The adapter sends all requests through `rawRequest` of
 * API version 1 and verifies signatures itself. So the SDK's 200 resource classes, its pagination, its decimal numbers
 * of API version 2 and its webhooks are unused: 190 KB. Empty functions replace them, because the SDK's constructor
 * instantiates each.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const SDK = /[/\\]node_modules[/\\]stripe[/\\]esm[/\\]stripe\.esm\.node\.js$/;
const UNUSED = new RegExp(
  String.raw`[/\\]node_modules[/\\]stripe[/\\]esm[/\\]` +
    String.raw`(resources[/\\].+|StripeResource|StripeEventNotificationHandler|Decimal|Webhooks)\.js$`,
);

/** Matches the name of each export of a module. */
const EXPORT = /^export (?:class |const |function |\{ )(\w+)/gm;

/** Replaces the unused parts of the SDK. The build fails if a bundle contains the SDK but no part matches. */
export const slimProviderSdk = (): Plugin => ({
  name: "slim-provider-sdk",
  setup({ onLoad, onEnd }) {
    let isBundled = false;
    let emptied = 0;
    onLoad({ filter: SDK }, () => {
      isBundled = true;
      return undefined;
    });
    onLoad({ filter: UNUSED }, async ({ path }) => {
      const names = [...(await readFile(path, "utf8")).matchAll(EXPORT)].map(([, name]) => name);
      if (names.length === 0) return undefined;
      emptied++;
      return { contents: names.map((name) => `export function ${name}() {}`).join("\n") };
    });
    onEnd(() => ({
      errors:
        isBundled && emptied === 0
          ? [{ text: "The provider's SDK is bundled, but no unused part of it was found." }]
          : [],
    }));
  },
});
