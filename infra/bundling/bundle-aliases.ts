/**
 * Parts of libraries that a Lambda function never uses and would pay for at every cold start, replaced in the bundle.
 * Each replacement must meet an import in at least one function, else the build fails (the library has moved on). One of
 * a package's own files must where a bundle has anything of that package.
 * What each saves, and what was not worth replacing: docs/performance.md.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

const shim = (name: string) => join(import.meta.dirname, "shims", name);

/** What is replaced and by what; a package's own files by their path without the ending. */
const aliases: Record<string, string> = {
  // Looks in files, in instance metadata and in child processes. Lambda's credentials are in the environment, and
  // shared/runtime/document-client.ts hands them over.
  "@aws-sdk/credential-provider-node": shim("credential-provider-node.ts"),
  // No operation of DynamoDB streams events.
  "@smithy/core/event-streams": shim("event-streams.ts"),
  // Asks DynamoDB where it is, which nothing here wants.
  "@aws-sdk/middleware-endpoint-discovery": shim("middleware-endpoint-discovery.ts"),
  // The rules from a region to an address; document-client.ts, event-bridge.ts and kms.ts know theirs.
  "@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-eventbridge/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-kms/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  // The regions of the world, for those rules.
  "@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partition": shim("partition.ts"),
  // ~/.aws/config and ~/.aws/credentials: a function has neither.
  "@smithy/core/dist-es/submodules/config/shared-ini-file-loader/loadSharedConfigFiles": shim("shared-config-files.ts"),
};

const OWN_FILES = "/dist-es/";

const isPackagesOwnFile = (name: string) => name.includes(OWN_FILES);

/** Whether a replacement has nothing to replace: it is for a file of a package that no bundle has any part of. */
const isIdle = (name: string, bundledFiles: readonly string[]): boolean => {
  const folder = `node_modules/${name.slice(0, name.indexOf(OWN_FILES))}/`;
  return isPackagesOwnFile(name) && !bundledFiles.some((file) => file.includes(folder));
};

const escapeForRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** @param options.mustAllMeet false for a build of less than all functions, which need not meet every alias. */
export const lambdaAliases = ({ mustAllMeet = true } = {}): Plugin => ({
  name: "lambda-aliases",
  setup({ initialOptions, onResolve, onLoad, onEnd }) {
    initialOptions.metafile = true;
    const met = new Set<string>();
    const meet = (name: string, path: string) => {
      met.add(name);
      return { path };
    };
    for (const [name, path] of Object.entries(aliases)) {
      if (isPackagesOwnFile(name)) {
        // Within its package a file is imported by a relative path.
        const file = escapeForRegExp(name.slice(name.lastIndexOf("/")));
        onResolve({ filter: new RegExp(`^\\..*${file}$`) }, (imported) =>
          join(imported.resolveDir, imported.path).endsWith(`/node_modules/${name}`) ? meet(name, path) : undefined,
        );
      } else {
        onResolve({ filter: new RegExp(`^${escapeForRegExp(name)}$`) }, () => meet(name, path));
      }
    }
    // A client names its version to AWS, and would bring all of its package.json for that.
    onLoad({ filter: /[/\\]@aws-sdk[/\\]client-[^/\\]+[/\\]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
    onEnd(({ metafile }) => {
      const bundledFiles = Object.keys(metafile?.inputs ?? {});
      const unmet = mustAllMeet ? Object.keys(aliases).filter((name) => !met.has(name)) : [];
      const missed = unmet.filter((name) => !isIdle(name, bundledFiles));
      return { errors: missed.map((name) => ({ text: `The alias of ${name} meets no import any more.` })) };
    });
  },
});
