import { join } from "node:path";
import { frontEndIds } from "../../infra/local/cloud/start-front-ends.ts";
import type { FunctionModel, StackModel } from "../../infra/local/core/model.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import type { Bench } from "./row.ts";

/** The stack of the assembly, with the functions and assets of a deployment. */
export const readDeployedStack = async ({
  assemblyDirectory,
  workDirectory,
}: Pick<Bench, "assemblyDirectory" | "workDirectory">): Promise<StackModel> => {
  const { apis, functionUrls } = await frontEndIds(assemblyDirectory);
  const urls = new Map([...apis, ...functionUrls].map((id) => [id, "https://url.invalid"]));
  return readStack({ assemblyDirectory, dataDirectory: workDirectory, urls });
};

/** The functions behind the routes of the HTTP API, by route key (`POST /plants`). */
export const functionsByRoute = ({ httpApis: [httpApi], functions }: StackModel): ReadonlyMap<string, FunctionModel> =>
  new Map(
    (httpApi?.routes ?? []).flatMap(({ routeKey, functionArn }) =>
      functions.filter(({ arn }) => arn === functionArn).map((fn): [string, FunctionModel] => [routeKey, fn]),
    ),
  );

/** @throws Error if there is none. */
export const functionOf = (functions: ReadonlyMap<string, FunctionModel>, route: string): FunctionModel => {
  const fn = functions.get(route);
  if (fn === undefined) throw new Error(`No function is deployed for ${route}.`);
  return fn;
};

/** The file that Lambda loads for a function whose handler is `index.handler`. */
export const mainFile = ({ codeDirectory }: FunctionModel): string => join(codeDirectory, "index.mjs");
