/** Views that are loaded when they are first shown. */
import lazyComponent from "preact-iso/lazy";
import { Button } from "./parts/button.tsx";

type Component = () => preact.JSX.Element;

/** After a deployment, an open page asks for files that no longer exist. The user's drafts survive the reload. */
const NotLoaded: Component = () => (
  <div class="state" role="alert">
    <h1>This page could not be loaded</h1>
    <p>The connection may be down, or the console was replaced by a newer version.</p>
    <Button kind="main" onClick={() => location.reload()}>
      Reload
    </Button>
  </div>
);

export const lazy = (load: () => Promise<Component>) => lazyComponent(() => load().catch(() => NotLoaded));
