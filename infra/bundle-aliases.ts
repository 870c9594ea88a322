/**
 * Parts of libraries that a Lambda function never uses and would pay for at every cold start, replaced in the bundle.
 * Each replacement must meet an import in at least one function, else the build fails (the library has moved on).
 */
import { join } from "node:path";
import type { Plugin } from "esbuild";

const shim = (name: string) => join(import.meta.dirname, "shims", name);

/** What is replaced, by the name it is imported under, and why. */
const aliases: Record<string, string> = {
  // The chain looks in files, in instance metadata and in child processes. Lambda's credentials are in the
  // environment, and shared/runtime/document-client.ts hands them over.
  "@aws-sdk/credential-provider-node": shim("credential-provider-node.ts"),
};

const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

export const lambdaAliases = (): Plugin => ({
  name: "lambda-aliases",
  setup({ onResolve, onEnd }) {
    const met = new Set<string>();
    for (const [name, path] of Object.entries(aliases)) {
      onResolve({ filter: new RegExp(`^${quote(name)}$`) }, () => {
        met.add(name);
        return { path };
      });
    }
    onEnd(() => {
      const missed = Object.keys(aliases).filter((name) => !met.has(name));
      return { errors: missed.map((name) => ({ text: `The alias of ${name} meets no import any more.` })) };
    });
  },
});
