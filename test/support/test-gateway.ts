import type { StackModel } from "../../infra/local/core/model.ts";
import { type Denial, type GatewayOptions, startGateway } from "../../infra/local/gateway/gateway.ts";
import { createAuthorizer } from "../../infra/local/iam/authorizer.ts";
import type { AwsPlace } from "../../shared/runtime/aws-client.ts";
import { functionArn } from "./stack-model.ts";

/** A gateway for the functions of a model, which notes what it denies. */
export const startTestGateway = async (
  model: StackModel,
  options: Pick<GatewayOptions, "services"> & { dynamodbEndpoint?: string } = {},
) => {
  const denials: Denial[] = [];
  const gateway = await startGateway({
    model,
    authorizer: createAuthorizer(model),
    // Nothing listens there.
    dynamodbEndpoint: "http://127.0.0.1:9",
    onDenied: (denial) => denials.push(denial),
    ...options,
  });
  const clients: { destroy(): void }[] = [];
  const placeOf = (role: string): AwsPlace => ({
    region: model.region,
    endpoint: gateway.url,
    credentials: gateway.credentialsFor(functionArn(role)),
  });
  return {
    ...gateway,
    denials,
    /** The endpoint and credentials of the function with the role's name. */
    placeOf,
    /** A client of that function, until the gateway closes. */
    clientOf<Client extends { destroy(): void }>(role: string, create: (place: AwsPlace) => Client): Client {
      const client = create(placeOf(role));
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.destroy();
      await gateway.close();
    },
  };
};
export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
