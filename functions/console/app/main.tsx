import "./styles/main.css";
import { render } from "preact";
import { answer, api } from "./api/client.ts";
import { App } from "./app.tsx";
import { listenBeforeRouter } from "./parts/intercept-back.ts";
import { pendingReturn } from "./session/identity.ts";
import { startSession } from "./session/session.ts";
import { readAhead } from "./views/events/first-page.ts";
import { viewAt } from "./views.ts";

const root = document.getElementById("console");
if (root === null) throw new Error("The page has no place for the console.");
document.getElementById("loading")?.remove();
root.replaceChildren();
listenBeforeRouter();
render(<App />, root);

// While the user is signed in. If it fails, the view says so when it is shown.
const preloadView = async (): Promise<void> => viewAt(pendingReturn() ?? location.pathname)?.component.preload();
void preloadView().catch(() => undefined);
void startSession(
  () => answer(api.GET("/api/integrations/provider/me")),
  ({ permissions }) => {
    if (location.pathname === "/console/events" && permissions.includes("security:read"))
      readAhead(Object.fromEntries(new URLSearchParams(location.search)));
  },
);
