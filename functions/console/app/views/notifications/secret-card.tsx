import { CopyButton } from "../../parts/copy-button.tsx";
import { Card } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";

const VERIFY = `import { Webhook } from "standardwebhooks";

// body: the request's body as text, before it is parsed. Throws if the signature is wrong or older than 5 minutes.
const notification = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);`;

/** @param oldSecretValidUntil until when the replaced secret signs as well, epoch milliseconds. */
export const SecretCard = ({ secret, oldUntil }: { secret: string; oldUntil: number | undefined }) => (
  <Card title="The secret that signs" note="It is shown only now. Store it where your receiver can read it.">
    <p class="notifications-secret">
      <code>{secret}</code> <CopyButton text={secret} what="The secret" />
    </p>
    {oldUntil !== undefined && (
      <p>
        Until <Time at={oldUntil} />, each message is signed with the old secret too, so the receiver may be changed in
        the meantime.
      </p>
    )}
    <p>
      The receiver verifies each message with the headers <code>webhook-id</code>, <code>webhook-timestamp</code> and{" "}
      <code>webhook-signature</code>. There is a{" "}
      <a href="https://www.standardwebhooks.com/" target="_blank" rel="noopener noreferrer">
        library for your language
      </a>
      . For Node.js: <CopyButton text={VERIFY} what="The code that verifies" />
    </p>
    <pre>{VERIFY}</pre>
  </Card>
);
