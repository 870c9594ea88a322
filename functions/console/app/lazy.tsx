/** Views that are loaded when they are first shown. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "./parts/button.tsx";
import { Page } from "./parts/page.tsx";
import { Loading } from "./parts/states.tsx";

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

/** A view that shows its title until its files are there. `preload` begins to load them. */
export const lazy = (load: () => Promise<{ View: Component }>) => {
  const loaded = signal<Component | undefined>(undefined);
  const preload = async (): Promise<void> => {
    if (loaded.value === undefined) loaded.value = (await load()).View;
  };
  const Lazy = ({ title }: { title: string }) => {
    useEffect(() => {
      void preload().catch(() => {
        loaded.value = NotLoaded;
      });
    }, []);
    const View = loaded.value;
    if (View !== undefined) return <View />;
    return (
      <Page title={title}>
        <Loading what="the page" />
      </Page>
    );
  };
  return Object.assign(Lazy, { preload });
};
