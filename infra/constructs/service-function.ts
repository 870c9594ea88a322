import {
  Aws,
  CfnElement,
  Duration,
  type IResolvable,
  Names,
  Reference,
  RemovalPolicy,
  Stack,
  Tokenization,
  Validations,
} from "aws-cdk-lib";
import type { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, CfnFunction, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricNamespaceOf } from "../../shared/terms/metrics.ts";
import { bundleDirectory, START_RUNTIME, TASK_ROOT } from "../bundling/bundle-directory.ts";
import { type Access, type Grant, together } from "./resources/access.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { publishingAs } from "./resources/publishing.ts";

/** Decisions: logs are kept 30 days at most. */
const LOG_RETENTION = RetentionDays.ONE_MONTH;

/** Twice the deadline of a request (shared/runtime/deadline.ts). */
const TIMEOUT = Duration.seconds(10);

const WRITE_LOGS = ["logs:CreateLogStream", "logs:PutLogEvents"];
const WRITE_TRACES: Grant = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] };

const statementOf = ({ actions, resources, conditions }: Grant): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [...resources], ...(conditions && { conditions }) });

/** How cdk-nag writes a token in a policy: `LogicalId.Arn`, or the name of the parameter that the CDK makes of it. */
const nagNameOfToken = (role: Role, token: IResolvable): string => {
  const stack = Stack.of(role);
  if (Reference.isReference(token) && CfnElement.isCfnElement(token.target) && token.target.stack !== stack)
    return `referenceto${Names.nodeUniqueId(token.target.node)}${token.displayName}`;
  const resolved = stack.resolve(token) as { Ref: string } | { "Fn::GetAtt": [string, string] };
  return "Ref" in resolved ? resolved.Ref : resolved["Fn::GetAtt"].join(".");
};

/** How cdk-nag writes an ARN in the role's stack: `<LogicalId.Arn>/*`, or `arn:<AWS::Partition>:ses:…`. */
const nagNameOf = (role: Role, arn: string): string =>
  Tokenization.reverseString(arn)
    .mapTokens({ mapToken: (token) => `<${nagNameOfToken(role, token)}>` })
    .join({ join: (left: unknown, right: unknown) => `${left ?? ""}${right ?? ""}` });

/** The part of the configuration that each function needs. */
export type FunctionConfig = Pick<DeploymentConfig, "stage" | "xrayTracing" | "nodeFlags">;

export type FunctionProps = {
  /** The name of the file under functions/, without folder and extension. */
  file: string;
  description: string;
  /** The rights without those to write the log and to publish events, which follow from `file`. */
  access: Access;
  bus: EventBus;
  config: FunctionConfig;
  timeout?: Duration;
  /** Keeps this much of the account's concurrency for the function, which then never has more. */
  reservedConcurrency?: number | undefined;
};

/** One Lambda function: its bundle, a role with exactly its grants, and a log group with a limited retention. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { file, description, bus, config, timeout = TIMEOUT, reservedConcurrency } = props;
    const access = together(props.access, publishingAs(file, props.access, bus));
    this.logGroup = new LogGroup(this, "Logs", { retention: LOG_RETENTION, removalPolicy: RemovalPolicy.DESTROY });
    const grants = [
      { actions: WRITE_LOGS, resources: [this.logGroup.logGroupArn] },
      ...access.grants,
      ...(config.xrayTracing ? [WRITE_TRACES] : []),
    ];
    // Replaces the CDK's default role, which may write to every log group of the account. The rights are in the role itself:
    // a policy of its own for each function would take a tenth of the 500 resources that a stack may have.
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { Rights: new PolicyDocument({ statements: grants.map(statementOf) }) },
    });
    for (const { resources, wildcardReason } of access.grants) {
      if (wildcardReason === undefined) continue;
      for (const resource of resources)
        Validations.of(role).acknowledge({
          id: `AwsSolutions-IAM5[Resource::${nagNameOf(role, resource)}]`,
          reason: wildcardReason,
        });
    }
    if (config.xrayTracing)
      Validations.of(role).acknowledge({
        id: "AwsSolutions-IAM5[Resource::*]",
        reason:
          "X-Ray has no resources to name: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html",
      });
    this.function = new LambdaFunction(this, "Function", {
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleDirectory(file)),
      handler: "index.handler",
      role,
      logGroup: this.logGroup,
      environment: {
        ...access.environment,
        METRICS_NAMESPACE: metricNamespaceOf(config.stage),
        ...(config.nodeFlags !== "keep" && { REPORT_NODE_FLAGS: "true" }),
        ...(config.nodeFlags === "trim" && { AWS_LAMBDA_EXEC_WRAPPER: `${TASK_ROOT}/${START_RUNTIME}` }),
        // A function that uses a service of AWS derives the service's address from it (shared/runtime/aws-client.ts).
        ...(access.grants.length > 0 && { URL_SUFFIX: Aws.URL_SUFFIX }),
      },
      timeout,
      // 1,769 MB give a full vCPU. Half of a vCPU keeps cold starts short at half the price.
      memorySize: 1024,
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    });
    // The construct's own property would add the right as a policy.
    if (config.xrayTracing && this.function.node.defaultChild instanceof CfnFunction)
      this.function.node.defaultChild.tracingConfig = { mode: "Active" };
  }
}
