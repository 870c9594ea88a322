import "./styles/main.css";
import { render } from "preact";
import { answer, api } from "./api/client.ts";
import { App } from "./app.tsx";
import { listenBeforeRouter } from "./parts/intercept-back.ts";
import { startSession } from "./session/session.ts";

const root = document.getElementById("console");
if (root === null) throw new Error("The page has no place for the console.");
root.replaceChildren();
listenBeforeRouter();
render(<App />, root);

void startSession(() => answer(api.GET("/api/integrations/provider/me")));
