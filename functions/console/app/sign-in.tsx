/** The pages before a view: sign in, what to configure, what failed, and the dialog after the session has ended. */
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { useTitle } from "./parts/page.tsx";
import { signIn, signOut } from "./session/session.ts";

const Frame = ({ title, children }: { title: string; children: preact.ComponentChildren }) => {
  useTitle(title);
  return (
    <main class="gate">
      <p class="brand">Integration console</p>
      <h1>{title}</h1>
      {children}
    </main>
  );
};

export const SignedOut = ({ note }: { note?: string | undefined }) => (
  <Frame title="Sign in">
    <p>See what happens to your organization’s integration with its payment provider, and act on it.</p>
    {note !== undefined && (
      <p class="problem" role="alert">
        {note}
      </p>
    )}
    <Button kind="main" onClick={() => void signIn()}>
      Sign in
    </Button>
  </Frame>
);

export const NotConfigured = ({ issuer }: { issuer: string }) => (
  <Frame title="The console has no client yet">
    <p>
      Register a public client (single-page application, authorization code with PKCE) at <code>{issuer}</code> with the
      redirect URI <code>{`${location.origin}/console`}</code>.
    </p>
    <p>
      Then deploy with <code>--context consoleClientId=&lt;the client’s id&gt;</code>. The page docs/identity.md of the
      repository has a recipe for each identity provider.
    </p>
  </Frame>
);

type FailedProps = {
  reason: string;
  requestId?: string | undefined;
  /** Whether the issuer did sign the user in. It would sign in the same user again. */
  isKnown: boolean;
};

export const Failed = ({ reason, requestId, isKnown }: FailedProps) => (
  <Frame title="You are not signed in">
    <div class="problem" role="alert">
      <p>{reason}</p>
      {requestId !== undefined && (
        <p class="quiet">
          Quote this request id when you ask for help: <code>{requestId}</code>
        </p>
      )}
    </div>
    <div class="actions">
      <Button kind="main" onClick={() => void signIn()}>
        Try again
      </Button>
      {isKnown && <Button onClick={() => void signOut()}>Sign in as another user</Button>}
    </div>
  </Frame>
);

/** Over the view, which stays as it is. */
export const Ended = () => (
  <Dialog title="Your session has ended" canClose={false} onClose={() => undefined}>
    <p>Sign in again to continue on this page.</p>
    <div class="dialog-actions">
      <Button kind="main" onClick={() => void signIn()}>
        Sign in
      </Button>
    </div>
  </Dialog>
);
