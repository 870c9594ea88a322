import { render } from "preact";
<<<<<<< HEAD
import type { paths } from "../../../.build/console/openapi.d.ts";
import "./styles.css";

type Settings = { issuer: string; clientId: string | null; scope: string; audience: string | null };

const settings: Settings = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="console"]')?.content ?? "{}");
const caller: keyof paths = "/api/integrations/provider/me";

const Page = () => (
  <main>
    <h1>Console</h1>
    <p>
      Issuer {settings.issuer}, {caller}
    </p>
  </main>
);

const root = document.querySelector("#app");
if (root !== null) render(<Page />, root);
=======
import { answer, api } from "./api/client.ts";
import { App } from "./app.tsx";
import { startSession } from "./session/session.ts";

const root = document.getElementById("console");
if (root === null) throw new Error("The page has no place for the console.");
root.replaceChildren();
render(<App />, root);

void startSession(() => answer(api.GET("/api/integrations/provider/me")));
>>>>>>> 77ca2d4 (Add the frame of the console)
