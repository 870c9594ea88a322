/** The frame around the views: who is signed in, the menu, and what stands in place of a view before that. */

import { useState } from "preact/hooks";
import { ErrorBoundary } from "preact-iso/lazy";
import { LocationProvider, Route, Router } from "preact-iso/router";
import { useMay } from "./access.ts";
import { Menu } from "./menu.tsx";
import { Notices } from "./parts/notices.tsx";
import { NotAllowed } from "./parts/states.tsx";
import { session } from "./session/session.ts";
import { Ended, Failed, NotConfigured, SignedOut } from "./sign-in.tsx";
import { type View, views } from "./views.ts";

const Guarded = ({ view: { component: Component, needs } }: { view: View }) =>
  useMay(needs) ? <Component /> : <NotAllowed needs={needs} />;

const NoSuchView = () => (
  <div class="state">
    <h1>There is no such page</h1>
    <p>
      The address may be mistyped. <a href="/console">Go to the overview.</a>
    </p>
  </div>
);

const Views = () => {
  const [failure, setFailure] = useState<Error>();
  return failure === undefined ? (
    <ErrorBoundary onError={setFailure}>
      <Router>
        {views.map((view) => (
          <Route key={view.path} path={view.path} view={view} component={Guarded} />
        ))}
        <Route default component={NoSuchView} />
      </Router>
    </ErrorBoundary>
  ) : (
    <div class="state" role="alert">
      <h1>This page cannot be shown</h1>
      <p>The console made a mistake. Reload the page, or choose another one after that.</p>
      <p class="quiet">{failure.message}</p>
    </div>
  );
};

const SignedIn = () => (
  <LocationProvider scope="/console">
    <a class="skip" href="#content">
      Skip to the content
    </a>
    <div class="frame">
      <Menu />
      <main id="content" tabIndex={-1}>
        <Views />
      </main>
    </div>
    <Notices />
  </LocationProvider>
);

export const App = () => {
  const { value } = session;
  switch (value.state) {
    case "starting":
      return (
        <p class="starting" role="status">
          Signing in …
        </p>
      );
    case "notConfigured":
      return <NotConfigured issuer={value.issuer} />;
    case "signedOut":
      return <SignedOut reason={value.reason} />;
    case "failed":
      return <Failed reason={value.reason} requestId={value.requestId} />;
    case "expired":
      return (
        <>
          <SignedIn />
          <Ended />
        </>
      );
    case "signedIn":
      return <SignedIn />;
  }
};
