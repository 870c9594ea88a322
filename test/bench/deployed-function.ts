import { join } from "node:path";
import type { FunctionModel, StackModel } from "../../infra/local/core/model.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import { functionUrlIds } from "../../infra/local/start-front-ends.ts";
import type { Bench } from "./row.ts";

/** The stack of the assembly, with the functions and assets of a deployment. */
export const readDeployedStack = async ({
  assemblyDirectory,
  workDirectory,
}: Pick<Bench, "assemblyDirectory" | "workDirectory">): Promise<StackModel> =>
  readStack({
    assemblyDirectory,
    dataDirectory: workDirectory,
    apiUrl: "https://api.invalid",
    functionUrls: new Map((await functionUrlIds(assemblyDirectory)).map((id) => [id, "https://url.invalid"])),
  });

/** The functions behind the routes of the HTTP API, by route key (`POST /plants`). */
export const functionsByRoute = ({ httpApi, functions }: StackModel): ReadonlyMap<string, FunctionModel> =>
  new Map(
    (httpApi?.routes ?? []).flatMap(({ routeKey, functionArn }) =>
      functions.filter(({ arn }) => arn === functionArn).map((fn): [string, FunctionModel] => [routeKey, fn]),
    ),
  );

/** The file that Lambda loads for a function whose handler is `index.handler`. */
export const mainFile = ({ codeDirectory }: FunctionModel): string => join(codeDirectory, "index.mjs");
