/** Where the messages go. The URL is only in its input: it is read when the form is sent, because it may be a secret. */
import { Field } from "../../parts/field.tsx";
import { SecretField } from "../connection/secret-field.tsx";
import { type DestinationType, types } from "./destination-words.ts";

/** As the API accepts them. */
const MOST_URL_CHARACTERS = 2_048;
const MOST_ADDRESS_CHARACTERS = 254;

const Guide = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer">
    {children}
  </a>
);

const HINTS = {
  webhook: "https, and reachable from the internet. Redirects are not followed.",
  email: "It gets a message with a link that confirms it. Until then, nothing else is sent.",
  slack: (
    <>
      Of an app with an incoming webhook for the channel (
      <Guide href="https://api.slack.com/messaging/webhooks">how to create it</Guide>). The URL is a secret: it is
      stored encrypted and never shown again.
    </>
  ),
  teams: (
    <>
      Of a workflow that posts to the channel when a webhook request is received (
      <Guide href="https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook">
        how to create it
      </Guide>
      ). The URL is a secret: it is stored encrypted and never shown again.
    </>
  ),
};

type Props = {
  type: DestinationType;
  /** The present address of a destination that is changed. */
  present?: string | undefined;
  error?: string | undefined;
};

export const TargetField = ({ type, present, error }: Props) => {
  const label = present === undefined ? types[type].target : `New ${types[type].target.replace(/^E-mail/, "e-mail")}`;
  const hint = (
    <>
      {present !== undefined && (
        <>
          Leave it empty to keep <code>{present}</code>.{" "}
        </>
      )}
      {HINTS[type]}
    </>
  );
  if (type === "slack" || type === "teams")
    return <SecretField name="target" label={label} hint={hint} error={error} maxLength={MOST_URL_CHARACTERS} />;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          type="text"
          inputMode={type === "email" ? "email" : "url"}
          name="target"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder={type === "email" ? "security@example.com" : "https://example.com/alerts"}
          maxLength={type === "email" ? MOST_ADDRESS_CHARACTERS : MOST_URL_CHARACTERS}
        />
      )}
    </Field>
  );
};
