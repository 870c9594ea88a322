import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Aws } from "aws-cdk-lib";
import { HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import flags from "aws-cdk-lib/recommended-feature-flags.json" with { type: "json" };
import esbuild from "esbuild";
import { lambdaAliases } from "../../../infra/bundling/bundle-aliases.ts";
import { parseContext } from "../../../infra/config.ts";
import { together } from "../../../infra/constructs/resources/access.ts";
import { publishingAs } from "../../../infra/constructs/resources/publishing.ts";
import { ServiceStack } from "../../../infra/service-stack.ts";

/**
 * A program that synthesises the service with an extra function, `GET /guarded`, that makes a guarded call. Its argument
 * is the assembly's directory.
 */
const synthesise = async (outputDirectory: string): Promise<void> => {
  const bundle = mkdtempSync(join(tmpdir(), "guarded-call-"));
  await esbuild.build({
    entryPoints: [join(import.meta.dirname, "guarded-call.ts")],
    outfile: join(bundle, "index.cjs"),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    mainFields: ["module", "main"],
    logLevel: "error",
    plugins: [lambdaAliases({ mustAllMeet: false })],
  });
  const app = new App({ outdir: outputDirectory, context: flags, analyticsReporting: false });
  const stack = new ServiceStack(app, "guarded", parseContext({}));
  const access = together(stack.access.recordSecurityEvents, stack.access.changeCircuitBreaker);
  const bus = stack.node.findAll().find((one) => one instanceof EventBus);
  if (bus === undefined) throw new Error("The service has no event bus.");
  // It publishes what the endpoint that changes circuits does.
  const { grants, environment } = together(access, publishingAs("change-circuit-breaker", access, bus));
  const guarded = new LambdaFunction(stack, "GuardedCall", {
    runtime: Runtime.NODEJS_24_X,
    code: Code.fromAsset(bundle),
    handler: "index.handler",
    environment: { ...environment, URL_SUFFIX: Aws.URL_SUFFIX },
  });
  for (const { actions, resources, conditions } of grants) {
    const statement = { actions: [...actions], resources: [...resources], ...(conditions && { conditions }) };
    guarded.addToRolePolicy(new PolicyStatement(statement));
  }
  const integration = new HttpLambdaIntegration("GuardedCall", guarded);
  stack.api.api.addRoutes({ path: "/guarded", methods: [HttpMethod.GET], integration });
  app.synth();
  rmSync(bundle, { recursive: true });
};

const [, , outputDirectory] = process.argv;
if (outputDirectory === undefined) throw new Error("The directory of the assembly is missing.");
await synthesise(outputDirectory);
