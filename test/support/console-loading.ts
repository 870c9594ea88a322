/** How the console loads: the requests of a page to the service, and a slow network. */
import type { Page, Request } from "playwright-core";

export type Loading = {
  /** The paths of all requests to the service, in their order. */
  paths: string[];
  /** The most that were under way at once: files of the page, and calls of the API. */
  mostAtOnce: { files: number; calls: number };
  /** The statuses of all answers. */
  statuses: number[];
  /** The bytes of all answers, headers included. */
  bytes(): Promise<number>;
};

/** Watches the page's requests to the service from now on. */
export const watchLoading = (page: Page, apiUrl: string): Loading => {
  const pathOf = (request: Request) => new URL(request.url()).pathname;
  const isOurs = (request: Request) => new URL(request.url()).origin === new URL(apiUrl).origin;
  const underWay = new Set<Request>();
  const finished: Request[] = [];
  const bytes = async () => {
    const sizes = await Promise.all(finished.map((request) => request.sizes()));
    return sizes.reduce(
      (sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize,
      0,
    );
  };
  const loading: Loading = { paths: [], mostAtOnce: { files: 0, calls: 0 }, statuses: [], bytes };
  page.on("request", (request) => {
    if (!isOurs(request)) return;
    underWay.add(request);
    loading.paths.push(pathOf(request));
    const calls = [...underWay].filter((one) => pathOf(one).startsWith("/api/")).length;
    loading.mostAtOnce.calls = Math.max(loading.mostAtOnce.calls, calls);
    loading.mostAtOnce.files = Math.max(loading.mostAtOnce.files, underWay.size - calls);
  });
  // The gateway answers when the function has ended.
  page.on("response", (response) => {
    if (underWay.delete(response.request())) loading.statuses.push(response.status());
  });
  page.on("requestfinished", (request) => void (isOurs(request) && finished.push(request)));
  page.on("requestfailed", (request) => void underWay.delete(request));
  return loading;
};

/** Without the browser's cache from now on; `isSlow`: each request takes 800 ms longer, and a second has 40 KB. */
export const slowDown = async (page: Page, { isSlow }: { isSlow: boolean }): Promise<void> => {
  const browser = await page.context().newCDPSession(page);
  await browser.send("Network.enable");
  await browser.send("Network.setCacheDisabled", { cacheDisabled: true });
  if (!isSlow) return;
  const throughput = 40 * 1_024;
  const conditions = { latency: 800, downloadThroughput: throughput, uploadThroughput: throughput };
  await browser.send("Network.emulateNetworkConditions", { offline: false, ...conditions });
};
