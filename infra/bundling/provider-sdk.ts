/**
 * The provider's SDK in a bundle, without what the adapter does not use. It sends every request by the SDK's
 * `rawRequest`, in the first version of the API, and verifies signatures itself; so the classes of the provider's two
 * hundred resources, all that serves them (pages, the second version's numbers) and the SDK's webhooks are 190 KB that
 * nobody calls. They stay as empty functions, because the SDK's constructor calls and makes one of each.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const SDK = /[/\\]node_modules[/\\]stripe[/\\]esm[/\\]stripe\.esm\.node\.js$/;
const UNUSED = new RegExp(
  String.raw`[/\\]node_modules[/\\]stripe[/\\]esm[/\\]` +
    String.raw`(resources[/\\].+|StripeResource|StripeEventNotificationHandler|Decimal|Webhooks)\.js$`,
);

/** What a module exports, by its name there. */
const EXPORT = /^export (?:class |const |function |\{ )(\w+)/gm;

/** Leaves the unused parts of the SDK out; fails the build where the SDK is bundled and none of them is met any more. */
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
        isBundled && emptied === 0 ? [{ text: "The provider's SDK has no resources to leave out any more." }] : [],
    }));
  },
});
