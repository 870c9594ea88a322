/**
 * The provider's SDK in a bundle, without what the adapter does not use: it sends every request by the SDK's
 * `rawRequest`, so the classes of the provider's two hundred resources are 170 KB that nobody calls. They stay as empty
 * classes, because the SDK's constructor makes one of each.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const SDK = /[/\\]node_modules[/\\]stripe[/\\]esm[/\\]stripe\.esm\.node\.js$/;
const UNUSED = /[/\\]node_modules[/\\]stripe[/\\]esm[/\\](resources[/\\].+|StripeEventNotificationHandler)\.js$/;

const CLASS = /^export class (\w+)/gm;

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
      const names = [...(await readFile(path, "utf8")).matchAll(CLASS)].map(([, name]) => name);
      if (names.length === 0) return undefined;
      emptied++;
      return { contents: names.map((name) => `export class ${name} {}`).join("\n") };
    });
    onEnd(() => ({
      errors:
        isBundled && emptied === 0 ? [{ text: "The provider's SDK has no resources to leave out any more." }] : [],
    }));
  },
});
