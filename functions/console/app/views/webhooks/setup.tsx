/** What to set up at the provider so that its webhooks arrive, and the secrets that verify them. */
import { useMay } from "../../access.ts";
import type { Resource } from "../../api/resource.ts";
import type { Connection } from "../../api/types.ts";
import { CopiedId, CopyButton } from "../../parts/copy-button.tsx";
import { Card } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { externalUrl } from "../../words/address.ts";
import { formatNumber } from "../../words/format.ts";
import { SecretsForm } from "./secrets-form.tsx";

const Registered = ({ connection: { provider, webhookSetup, method } }: { connection: Connection }) => {
  if (method === "oauth")
    return (
      <p>
        The account is connected by OAuth, so {provider.name} sends its events to the platform’s own endpoint. There is
        nothing to set up.
      </p>
    );
  if (webhookSetup?.endpointId !== undefined)
    return (
      <p>
        This service registered the endpoint <code>{webhookSetup.endpointId}</code> at {provider.name}, with the URL and
        the event types below. There is nothing to set up by hand.
      </p>
    );
  return (
    <p>
      The quickest way: connect again with a key that may write webhook endpoints, and choose “Register the webhook for
      me”. <a href="/console/connection">Open Connection</a>. Or set the endpoint up by hand:
    </p>
  );
};

const Endpoint = ({ connection: { provider, webhookSetup, webhookUrl } }: { connection: Connection }) => {
  const url = webhookUrl ?? webhookSetup?.url;
  const page = externalUrl(provider.webhooksUrl);
  if (url === undefined)
    return (
      <p>
        This deployment has no URL for webhooks. Syncs bring the changes on their schedule. Ask those who run the
        deployment for a URL.
      </p>
    );
  const types = webhookSetup?.eventTypes ?? [];
  const isRegistered = webhookSetup?.endpointId !== undefined;
  const pageLink =
    page === undefined ? (
      provider.name
    ) : (
      <a href={page} target="_blank" rel="noopener noreferrer">
        {provider.name}’s page for webhooks
      </a>
    );
  return (
    <ol class={isRegistered ? "webhooks-steps done" : "webhooks-steps"}>
      <li>
        {isRegistered ? "URL:" : <>Add a webhook endpoint on {pageLink} with this URL:</>}
        <p class="webhooks-copy">
          <CopiedId id={url} what="The webhook URL" />
        </p>
      </li>
      {types.length > 0 && (
        <li>
          {isRegistered ? "Its" : "Subscribe it to these"} {formatNumber(types.length)} event types:{" "}
          <CopyButton text={types.join("\n")} what="The list of event types" />
          <details>
            <summary>Show the event types</summary>
            <ul class="webhooks-types">
              {types.map((type) => (
                <li key={type}>
                  <code>{type}</code>
                </li>
              ))}
            </ul>
          </details>
        </li>
      )}
      {!isRegistered && <li>Enter the endpoint’s signing secret below.</li>}
      <li>
        Test it: send a test event from {pageLink}, or change a customer there. The delivery appears in the list below
        within seconds. An invented test object may be “ignored”; that it is listed proves that the URL and the secret
        are right.
      </li>
    </ol>
  );
};

const Secrets = ({ onChanged }: { onChanged: (connection: Connection) => void }) => (
  <section class="webhooks-roll">
    <h3>Signing secrets</h3>
    <p>
      Deliveries are accepted only with a valid signature. To roll a secret, roll it at the provider and enter the new
      one here. The replaced secret stays valid for 24 hours, so no delivery is refused in between.
    </p>
    <SecretsForm onChanged={onChanged} />
  </section>
);

export const Setup = ({ connection }: { connection: Resource<Connection> }) => {
  const mayManage = useMay("connection:manage");
  return (
    <Card title="Set-up">
      <Loaded of={connection} what="the set-up">
        {(current) =>
          current.status === "disconnected" ? (
            <p>
              No account is connected, so no webhook is accepted. <a href="/console/connection">Open Connection</a>
            </p>
          ) : (
            <>
              <Registered connection={current} />
              {current.method !== "oauth" && <Endpoint connection={current} />}
              {current.method !== "oauth" &&
                (mayManage ? (
                  <Secrets onChanged={connection.show} />
                ) : (
                  <p class="quiet">Your role may not change the secrets. An administrator or billing user can.</p>
                ))}
            </>
          )
        }
      </Loaded>
    </Card>
  );
};
