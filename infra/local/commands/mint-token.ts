import * as z from "zod";

const Answer = z.union([z.object({ access_token: z.string() }), z.object({ message: z.string() })]);

/**
 * A token of the development issuer. @param request its `POST /token`: organizationId, role, userId, claims …
 * @throws Error with the issuer's message, or if the local cloud does not answer.
 */
export const mintToken = async (issuerUrl: string, request: object): Promise<string> => {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
  const response = await fetch(`${issuerUrl}/token`, sent).catch(() => undefined);
  if (response === undefined) throw new Error("the local cloud does not run: start it with npm start");
  const answer = Answer.parse(await response.json());
  if ("message" in answer) throw new Error(answer.message);
  return answer.access_token;
};
