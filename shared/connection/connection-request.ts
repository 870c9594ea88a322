/** What the connection's endpoints accept, and what POST …/connection/authorize returns. docs/connection.md. Pure. */
import * as z from "zod/mini";

const MAX_SECRET_CHARACTERS = 512;
const MAX_CODE_CHARACTERS = 2_048;
/** Two secrets are valid during a rotation, for a platform's and an account's endpoint each. */
const MAX_WEBHOOK_SECRETS = 4;

/** The provider's keys and secrets are visible ASCII; other characters are not allowed in a header. */
const secret = (what: string, maxCharacters = MAX_SECRET_CHARACTERS) => {
  const error = `expected ${what} of 1 to ${maxCharacters} visible ASCII characters`;
  return z.string({ error }).check(z.regex(new RegExp(`^[\\x21-\\x7e]{1,${maxCharacters}}$`), { error }));
};

const SECRETS_EXPECTED = `expected a list of 1 to ${MAX_WEBHOOK_SECRETS} webhook secrets`;

const API_KEY_ONLY = { error: "expected with the method api_key only", path: ["registerWebhook"] };

const WITHOUT_SECRETS = {
  error: "expected without webhookSecret and webhookSecrets, because the provider issues the secret",
  path: ["registerWebhook"],
};

const ONE_OF_BOTH = { error: "expected in place of webhookSecret, not beside it", path: ["webhookSecrets"] };

const secretList = z
  .array(secret("a webhook secret"), { error: SECRETS_EXPECTED })
  .check(z.minLength(1, { error: SECRETS_EXPECTED }), z.maxLength(MAX_WEBHOOK_SECRETS, { error: SECRETS_EXPECTED }));

const webhooks = {
  webhookSecret: z.optional(secret("a webhook secret")).register(z.globalRegistry, {
    description: "The secret with which the provider signs webhooks.",
  }),
  webhookSecrets: z
    .optional(secretList)
    .register(z.globalRegistry, { description: "Several secrets during a rotation, in place of `webhookSecret`." }),
  registerWebhook: z.optional(z.boolean({ error: "expected true or false" })).register(z.globalRegistry, {
    description:
      "Creates the webhook endpoint at the provider and stores its secret. For the method `api_key`, without webhook secrets.",
  }),
};

export const WebhookSecretsRequest = z.object({ webhookSecrets: secretList }).register(z.globalRegistry, {
  id: "WebhookSecretsRequest",
  description: "The secrets with which the provider signs webhooks from now on.",
});

const REGISTERING = { registerWebhook: { const: true } };

/** A JSON Schema of objects that have all these fields. */
const together = (properties: Readonly<Record<string, object>>) => ({ required: Object.keys(properties), properties });

export const ConnectionRequest = z
  .discriminatedUnion(
    "method",
    [
      z
        .object({ method: z.literal("api_key"), apiKey: secret("an API key"), ...webhooks })
        .register(z.globalRegistry, { id: "ConnectByApiKey", description: "Connects by an API key of the account." }),
      z
        .object({
          method: z.literal("oauth"),
          code: secret("an authorization code", MAX_CODE_CHARACTERS),
          state: secret("a state", MAX_CODE_CHARACTERS),
          ...webhooks,
        })
        .register(z.globalRegistry, {
          id: "ConnectByOAuth",
          description: "Connects by the code and the state of OAuth.",
        }),
    ],
    { error: "expected the method api_key or oauth" },
  )
  .check(z.refine((one) => one.webhookSecret === undefined || one.webhookSecrets === undefined, ONE_OF_BOTH))
  .check(z.refine((one) => one.registerWebhook !== true || one.method === "api_key", API_KEY_ONLY))
  .check(
    z.refine(
      (one) => one.registerWebhook !== true || (one.webhookSecret ?? one.webhookSecrets) === undefined,
      WITHOUT_SECRETS,
    ),
  )
  .register(z.globalRegistry, {
    id: "ConnectionRequest",
    description: "The credentials of the account. They are never returned or logged.",
    // The rules above, in the words of JSON Schema.
    override: {
      not: {
        anyOf: [
          together({ webhookSecret: {}, webhookSecrets: {} }),
          together({ ...REGISTERING, webhookSecret: {} }),
          together({ ...REGISTERING, webhookSecrets: {} }),
          together({ ...REGISTERING, method: { const: "oauth" } }),
        ],
      },
    },
  });
export type ConnectionRequest = z.output<typeof ConnectionRequest>;

export const Authorization = z
  .object({
    url: z.string().register(z.globalRegistry, { description: "The provider's page on which the user grants access." }),
    state: z.string().register(z.globalRegistry, {
      description: "Comes back with the code. Valid for 10 minutes, one connect, and this user only.",
    }),
  })
  .register(z.globalRegistry, { id: "Authorization", description: "The page where the user grants access." });
