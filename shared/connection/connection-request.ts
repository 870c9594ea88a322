/** What PUT …/connection takes. Decisions: docs/connection.md. */
import * as z from "zod/mini";

const MAX_SECRET_CHARACTERS = 512;
const MAX_CODE_CHARACTERS = 2_048;
/** Two are valid while one is being rotated; a platform's and an account's endpoints double them. */
const MAX_WEBHOOK_SECRETS = 4;

/** Visible ASCII, as the provider's keys and secrets are: anything else could not stand in a header. */
const secret = (what: string, maxCharacters = MAX_SECRET_CHARACTERS) => {
  const error = `expected ${what} of 1 to ${maxCharacters} visible ASCII characters`;
  return z.string({ error }).check(z.regex(new RegExp(`^[\\x21-\\x7e]{1,${maxCharacters}}$`), { error }));
};

const SECRETS_EXPECTED = `expected a list of 1 to ${MAX_WEBHOOK_SECRETS} webhook secrets`;

const ONE_OF_BOTH = { error: "expected in place of webhookSecret, not beside it", path: ["webhookSecrets"] };

const webhookSecrets = {
  webhookSecret: z.optional(secret("a webhook secret")).register(z.globalRegistry, {
    description: "What the provider signs webhooks with.",
  }),
  webhookSecrets: z
    .optional(
      z
        .array(secret("a webhook secret"), { error: SECRETS_EXPECTED })
        .check(
          z.minLength(1, { error: SECRETS_EXPECTED }),
          z.maxLength(MAX_WEBHOOK_SECRETS, { error: SECRETS_EXPECTED }),
        ),
    )
    .register(z.globalRegistry, { description: "Several, while one is being rotated; in place of `webhookSecret`." }),
};

export const ConnectionRequest = z
  .discriminatedUnion(
    "method",
    [
      z.object({ method: z.literal("api_key"), apiKey: secret("an API key"), ...webhookSecrets }),
      z.object({
        method: z.literal("oauth"),
        code: secret("an authorization code", MAX_CODE_CHARACTERS),
        state: secret("a state", MAX_CODE_CHARACTERS),
        ...webhookSecrets,
      }),
    ],
    { error: "expected the method api_key or oauth" },
  )
  .check(z.refine((one) => one.webhookSecret === undefined || one.webhookSecrets === undefined, ONE_OF_BOTH))
  .register(z.globalRegistry, { description: "How to connect. Nothing of it is ever answered or logged." });
export type ConnectionRequest = z.output<typeof ConnectionRequest>;

export const Authorization = z.object({
  url: z.string().register(z.globalRegistry, { description: "Where the user grants access at the provider." }),
  state: z.string().register(z.globalRegistry, {
    description: "Comes back with the code; good for 10 minutes, one connect, and this user only.",
  }),
});
