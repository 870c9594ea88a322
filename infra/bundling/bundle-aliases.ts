/**
 * Replaces parts of libraries that a Lambda function never uses, because loading them slows down every cold start.
 * Each alias must match an import of at least one function; otherwise the build fails, because the library has changed.
 * An alias of a package's internal file must match only if a bundle contains that package.
 * Measurements: docs/performance.md.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

const shim = (name: string) => join(import.meta.dirname, "shims", name);

/** The replacement of each module. A package's internal file is named by its path without the extension. */
const aliases: Record<string, string> = {
  // Searches files, instance metadata and child processes. Lambda's credentials are in the environment, and
  // shared/runtime/document-client.ts passes them to the client.
  "@aws-sdk/credential-provider-node": shim("credential-provider-node.ts"),
  // No operation that the service calls streams events.
  "@smithy/core/event-streams": shim("event-streams.ts"),
  // Asks DynamoDB for its endpoint; the service's clients are given their endpoint.
  "@aws-sdk/middleware-endpoint-discovery": shim("middleware-endpoint-discovery.ts"),
  // Derive the endpoint from the region; the files of shared/runtime/ give clients their endpoint.
  "@aws-sdk/client-dynamodb/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-eventbridge/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-kms/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-secrets-manager/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-sesv2/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-sqs/dist-es/endpoint/endpointResolver": shim("endpoint-resolver.ts"),
  "@aws-sdk/client-s3/dist-es/endpoint/endpointResolver": shim("s3-endpoint-resolver.ts"),
  // The table of all regions, which the endpoint rules read.
  "@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partition": shim("partition.ts"),
  // Reads ~/.aws/config and ~/.aws/credentials, which do not exist in a function.
  "@smithy/core/dist-es/submodules/config/shared-ini-file-loader/loadSharedConfigFiles": shim("shared-config-files.ts"),
};

const OWN_FILES = "/dist-es/";

const isPackagesOwnFile = (name: string) => name.includes(OWN_FILES);

/** Whether an alias cannot match: it replaces a file of a package that no bundle contains. */
const isIdle = (name: string, bundledFiles: readonly string[]): boolean => {
  const folder = `node_modules/${name.slice(0, name.indexOf(OWN_FILES))}/`;
  return isPackagesOwnFile(name) && !bundledFiles.some((file) => file.includes(folder));
};

const escapeForRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** @param options.mustAllMeet false if only some functions are built; then aliases may match no import. */
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
        // A package imports its own files by relative paths.
        const file = escapeForRegExp(name.slice(name.lastIndexOf("/")));
        onResolve({ filter: new RegExp(`^\\..*${file}$`) }, (imported) =>
          join(imported.resolveDir, imported.path).endsWith(`/node_modules/${name}`) ? meet(name, path) : undefined,
        );
      } else {
        onResolve({ filter: new RegExp(`^${escapeForRegExp(name)}$`) }, () => meet(name, path));
      }
    }
    // A client reads its own version from package.json. Without this, the bundle would contain the whole file.
    onLoad({ filter: /[/\\]@aws-sdk[/\\]client-[^/\\]+[/\\]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
    onEnd(({ metafile }) => {
      const bundledFiles = Object.keys(metafile?.inputs ?? {});
      const unmet = mustAllMeet ? Object.keys(aliases).filter((name) => !met.has(name)) : [];
      const missed = unmet.filter((name) => !isIdle(name, bundledFiles));
      return { errors: missed.map((name) => ({ text: `The alias of ${name} matches no import.` })) };
    });
  },
});
