/** The stack of read-cdk-assembly.deep.test.ts, as this project writes stacks: two functions with different grants on a table. */
import { Duration, type Stack } from "aws-cdk-lib";
import { HttpApi, HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { AttributeType, BillingMode, Table } from "aws-cdk-lib/aws-dynamodb";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Code, Function as LambdaFunctionConstruct, Runtime, RuntimeFamily, Tracing } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { ExportsBucket } from "../../../../infra/constructs/resources/buckets.ts";
import { functionDirectory } from "../../../support/function-directory.ts";

export const fill = (stack: Stack): void => {
  const code = functionDirectory("exports.handler = async () => ({});", "index.js");
  const table = new Table(stack, "Plants", {
    billingMode: BillingMode.PAY_PER_REQUEST,
    partitionKey: { name: "scope", type: AttributeType.STRING },
    sortKey: { name: "id", type: AttributeType.NUMBER },
    timeToLiveAttribute: "expiresAtSeconds",
  });
  table.addGlobalSecondaryIndex({ indexName: "byName", partitionKey: { name: "name", type: AttributeType.STRING } });
  const secret = new Secret(stack, "Key", { generateSecretString: { passwordLength: 40, excludePunctuation: true } });
  const addFunction = (id: string) =>
    new LambdaFunctionConstruct(stack, id, {
      runtime: new Runtime("nodejs24.x", RuntimeFamily.NODEJS),
      handler: "index.handler",
      code: Code.fromAsset(code),
      timeout: Duration.seconds(10),
      memorySize: 512,
      tracing: Tracing.ACTIVE,
      environment: { PLANTS_TABLE_NAME: table.tableName, SIGNING_KEY_ARN: secret.secretArn },
    });
  const create = addFunction("create-plant");
  table.grant(create, "dynamodb:PutItem");
  const list = addFunction("list-plants");
  table.grantReadData(list);
  new ExportsBucket(stack, "Exports", { isProtected: false });
  const api = new HttpApi(stack, "Api");
  const integration = new HttpLambdaIntegration("List", list);
  api.addRoutes({ path: "/plants/{id}", methods: [HttpMethod.GET], integration });
  new Rule(stack, "Hourly", {
    schedule: Schedule.cron({ minute: "0" }),
    targets: [new LambdaFunction(list)],
  });
};
