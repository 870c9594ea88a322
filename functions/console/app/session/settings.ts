/** What the server writes into the page as JSON: `<meta name="console" content="…">`. */
export type ConsoleSettings = {
  /** The OpenID Connect issuer whose tokens the API accepts. */
  issuer: string;
  /** The console's client at the issuer; null if the deployment names none. */
  clientId: string | null;
  /** The scopes to ask for, separated by spaces. */
  scope: string;
  /** Sent as `audience`, which some issuers need; null if it is not sent. */
  audience: string | null;
};

export const readSettings = (): ConsoleSettings => {
  const content = document.querySelector<HTMLMetaElement>('meta[name="console"]')?.content;
  if (content === undefined) throw new Error("The page has no settings of the console.");
  return JSON.parse(content) as ConsoleSettings;
};
