/**
 * The addresses to which a sign-in or a sign-out may return, compared character by character: the console at the API's
 * URL, and the same server by the name `localhost`, which a developer may type.
 */
export const redirectUrisOf = (apiUrl: string): readonly string[] => {
  const { port } = new URL(apiUrl);
  return [`${apiUrl}/console`, `http://localhost:${port}/console`];
};
