import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../api/action.ts";
import { answer, api } from "../../api/client.ts";
import type { ConnectByApiKey, Connection, WebhookSetup } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { notify } from "../../parts/notices.ts";
import { Options } from "../../parts/options.tsx";
import { Table } from "../../parts/table.tsx";
import { externalUrl } from "../../words/address.ts";
import { AdviceNote } from "./advice-note.tsx";
import { adviceFor } from "./connection-words.ts";
import { SecretField, SecretFields } from "./secret-field.tsx";

const SECRETS = "input[type=password]";

type Webhooks = "register" | "secrets" | "none";

const webhookOptions = (hasUrl: boolean) =>
  [
    {
      value: "register",
      name: "Register the webhook for me",
      text: hasUrl
        ? "Needs a key that may write webhook endpoints. There is no secret to copy."
        : "This deployment has no URL for webhooks.",
      isDisabled: !hasUrl,
    },
    {
      value: "secrets",
      name: "I register it by hand",
      text: "Enter the signing secret that the provider shows for the endpoint.",
    },
    {
      value: "none",
      name: "Leave webhooks as they are",
      text: "Secrets that are stored for this account stay. Without webhooks, syncs still run on their schedule.",
    },
  ] as const;

type Props = { connection: Connection; onConnected: (connection: Connection) => void };

/** Errors of a key: docs/errors.md. */
const KEY_ERRORS = [40002, 42201, 42202];

/**
 * The key and the secrets are only in their inputs: they are read when the form is sent, and removed when the account is
 * connected. A key that was refused stays, masked, so that it can be looked at again.
 */
export const ApiKeyForm = ({ connection, onConnected }: Props) => {
  const { provider, webhookUrl, webhookSetup } = connection;
  const form = useRef<HTMLFormElement>(null);
  const [webhooks, setWebhooks] = useState<Webhooks>(webhookUrl === undefined ? "none" : "register");
  const [secretFields, setSecretFields] = useState(1);
  const [isMissing, setMissing] = useState(false);

  const textsOf = (name: string): string[] =>
    form.current === null ? [] : new FormData(form.current).getAll(name).map((text) => String(text).trim());

  const connect = useAction(() => {
    const [apiKey = ""] = textsOf("apiKey");
    const webhookSecrets = textsOf("webhookSecret").filter((secret) => secret !== "");
    const body: ConnectByApiKey = {
      method: "api_key",
      apiKey,
      ...(webhooks === "register" && { registerWebhook: true }),
      ...(webhooks === "secrets" && { webhookSecrets }),
    };
    return answer(api.PUT("/api/integrations/provider/connection", { body }));
  });

  const submit = async (): Promise<void> => {
    const isComplete =
      textsOf("apiKey").every((key) => key !== "") &&
      (webhooks !== "secrets" || textsOf("webhookSecret").some((secret) => secret !== ""));
    setMissing(!isComplete);
    if (!isComplete) return form.current?.querySelector<HTMLInputElement>(SECRETS)?.focus();
    const connected = await connect.run(undefined);
    if (connected === undefined) return;
    for (const input of form.current?.querySelectorAll<HTMLInputElement>(SECRETS) ?? []) input.value = "";
    setSecretFields(1);
    notify(`Connected to ${connected.accountId ?? provider.name}. The first sync has started.`);
    onConnected(connected);
  };

  const { problem } = connect;
  const keyProblem = problem?.code !== undefined && KEY_ERRORS.includes(problem.code) ? problem : undefined;
  // The field is drawn with its error first.
  useEffect(() => {
    if (keyProblem !== undefined) form.current?.querySelector<HTMLInputElement>(SECRETS)?.select();
  }, [keyProblem]);

  const keysPage = externalUrl(provider.apiKeysUrl);
  return (
    <form
      ref={form}
      class="connection-form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (!connect.isRunning) void submit();
      }}
    >
      <SecretField
        name="apiKey"
        label="API key"
        error={keyProblem && `${keyProblem.message} ${adviceFor(keyProblem).text}`}
        hint={
          <>
            A restricted key of {provider.name}
            {keysPage !== undefined && (
              <>
                {" "}
                (
                <a href={keysPage} target="_blank" rel="noopener noreferrer">
                  create one there
                </a>
                )
              </>
            )}
            . It is sent once, stored encrypted, and never shown again. An unrestricted live key works too, but whoever
            gets hold of it can move money, so it raises an alert.
          </>
        }
      />
      {webhookSetup !== undefined && <KeyPermissions permissions={webhookSetup.keyPermissions} />}
      <Options
        legend="Webhooks"
        options={webhookOptions(webhookUrl !== undefined)}
        value={webhooks}
        onChoose={setWebhooks}
      />
      {webhooks === "secrets" && (
        <SecretFields
          count={secretFields}
          onAdd={() => setSecretFields(secretFields + 1)}
          label="Webhook signing secret"
          hint="Begins with “whsec_”. Several are valid at once while one is rolled."
        />
      )}
      {isMissing && (
        <p class="field-error" role="alert">
          Enter the API key{webhooks === "secrets" && " and at least one signing secret"}.
        </p>
      )}
      {problem !== undefined && keyProblem === undefined && <AdviceNote problem={problem} />}
      <Button kind="main" type="submit" isRunning={connect.isRunning}>
        {connect.isRunning ? `Asking ${provider.name} …` : "Connect"}
      </Button>
    </form>
  );
};

/** What a restricted key must be allowed to do. */
const KeyPermissions = ({ permissions }: { permissions: WebhookSetup["keyPermissions"] }) => (
  <details class="connection-permissions">
    <summary>Permissions that the key needs</summary>
    <Table
      class="rows"
      rows={permissions}
      keyOf={({ name }) => name}
      columns={[
        { head: "Resource", isHead: true, cell: ({ resource }) => resource },
        { head: "Access", cell: ({ access }) => access },
        {
          head: "Needed for",
          cell: ({ requiredFor }) => (requiredFor === "sync" ? "Syncing" : "Registering the webhook"),
        },
      ]}
    />
  </details>
);
