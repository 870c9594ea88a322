/** The frame around the views: who is signed in, the menu, and what stands in place of a view before that. */

import { useState } from "preact/hooks";
import { ErrorBoundary } from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { useMay } from "./access.ts";
import { Menu } from "./menu.tsx";
import { NoticeList } from "./parts/notice-list.tsx";
import { Page } from "./parts/page.tsx";
import { NotAllowed } from "./parts/states.tsx";
import { session } from "./session/session.ts";
import { Ended, Failed, NotConfigured, SignedOut } from "./sign-in.tsx";
import { type View, views } from "./views.ts";
import { isDecodable } from "./words/address.ts";

const Guarded = ({ view: { component: Component, needs, title } }: { view: View }) =>
  useMay(needs) ? (
    <Component title={title} />
  ) : (
    <Page title={title}>
      <NotAllowed needs={needs} />
    </Page>
  );

const NoSuchView = () => (
  <Page title="There is no such page">
    <p>
      The address may be mistyped. <a href="/console">Go to the overview.</a>
    </p>
  </Page>
);

const Views = () => {
  const { path } = useLocation();
  const [failed, setFailed] = useState<{ path: string; error: Error }>();
  // The router would throw at it.
  if (!isDecodable(path)) return <NoSuchView />;
  return failed?.path !== path ? (
    <ErrorBoundary onError={(error) => setFailed({ path, error })}>
      <Router>
        {views.map((view) => (
          <Route key={view.path} path={view.path} view={view} component={Guarded} />
        ))}
        <Route default component={NoSuchView} />
      </Router>
    </ErrorBoundary>
  ) : (
    <Page title="This page cannot be shown">
      <div class="problem" role="alert">
        <p>The console made a mistake. Reload the page, or choose another one.</p>
        <p class="quiet">{failed.error.message}</p>
      </div>
    </Page>
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
    <NoticeList />
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
      return <SignedOut note={value.note} />;
    case "failed":
      return <Failed {...value} />;
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
