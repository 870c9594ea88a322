import { createKmsService } from "../../infra/local/gateway/kms-service.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import type { AwsPlace } from "../../shared/runtime/aws-client.ts";
import { synthesiseStack } from "./synthesise-with.ts";
import { newDirectory } from "./temporary-directory.ts";
import { startTestGateway } from "./test-gateway.ts";

/** A gateway with the keys of a module's stack (synthesise-stack.ts). Close it in `afterAll`. */
export const startKmsGateway = async (module: string, nowMs = Date.UTC(2026, 10, 21)) => {
  const assemblyDirectory = await synthesiseStack(module);
  const dataDirectory = newDirectory("kms-");
  const model = await readStack({ assemblyDirectory, dataDirectory });
  const open = () =>
    startTestGateway(model, {
      services: { kms: createKmsService({ model, dataDirectory, clock: { now: () => nowMs } }) },
    });
  let gateway = await open();
  return {
    model,
    dataDirectory,
    get denials() {
      return gateway.denials;
    },
    /** The endpoint and credentials of the function with that name. */
    placeOf(name: string): AwsPlace {
      const found = model.functions.find((fn) => fn.name === name);
      const credentials = gateway.credentialsFor(found?.arn ?? name);
      return { region: model.region, endpoint: gateway.url, credentials };
    },
    async restart() {
      await gateway.close();
      gateway = await open();
    },
    async close() {
      await gateway.close();
    },
  };
};
