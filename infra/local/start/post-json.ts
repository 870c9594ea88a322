/**
 * Posts to a server of the local cloud.
 * @returns the parsed answer.
 * @throws Error with the answer if it is no success.
 */
export const postJson = async (url: string, body: object, headers: Record<string, string> = {}): Promise<unknown> => {
  const sent = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return readAnswer(await fetch(url, sent));
};

/** @throws Error with the answer if it is no success. */
export const readAnswer = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
};
