import { Annotations, App, Validations } from "aws-cdk-lib";
import flags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import { AwsSolutionsChecks } from "cdk-nag";
import { parseContext } from "./config.ts";
import { licenceWarning } from "./regions.ts";
import { ServiceStack } from "./service-stack.ts";

type Options = {
  /** The assembly's directory; the CDK's command line sets it itself. */
  outputDirectory?: string;
  /** Context keys of the deployment (config.ts), in addition to those of the command line. */
  context?: Readonly<Record<string, string>>;
  /** The region of the command line, to which the stack will be deployed. */
  region?: string | undefined;
  /** The assembly is for the local cloud, and is not deployed. */
  isLocal?: boolean;
};

/** @throws Error if the context is not usable; then nothing is synthesised. */
export const createApp = ({ outputDirectory, context = {}, region, isLocal = false }: Options = {}): App => {
  const app = new App({
    ...(outputDirectory !== undefined && { outdir: outputDirectory }),
    context: { ...flags, ...context },
    analyticsReporting: false,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const config = parseContext(app.node.getAllContext(), region, undefined, { isLocal });
  const stack = new ServiceStack(app, `plant-store-${config.stage}`, config);
  const warning = licenceWarning(config.region ?? region);
  if (warning !== undefined) Annotations.of(stack).addWarningV2("plant-store:icp-licence", warning);
  return app;
};

/** Synthesises the service for the local cloud; its functions must be built (build.ts). Returns the assembly's directory. */
export const synthesise = async (outputDirectory: string, context: Readonly<Record<string, string>> = {}) =>
  createApp({ outputDirectory, context, isLocal: true }).synth().directory;
