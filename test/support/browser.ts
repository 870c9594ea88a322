/**
 * Pages in a browser, for tests that look at pages and use them as a person does.
 *
 *     const browser = await shareBrowser([service.stack.apiUrl]);             // in beforeAll
 *     const { page, complaints, foreignRequests } = await browser.open({ path: "/docs", scheme: "dark" });
 *     await browser.closePages();                                             // in afterEach
 *     await browser.stop();                                                   // in afterAll
 */
import { type Browser, chromium, type Page } from "playwright-core";
import { prepareChromium } from "./chromium.ts";
import { askShared } from "./shared-server.ts";

export type View = {
  /** In CSS pixels. Below 600 the browser behaves as a phone does. */
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
  media?: "screen" | "print";
  reducedMotion?: boolean;
  /** The language of the browser, such as "de-DE". */
  locale?: string;
};

export type OpenedPage = {
  page: Page;
  /** What the browser reported: messages of the console, uncaught exceptions, violations of the page's policy. */
  complaints: string[];
  /** The addresses that the page requested. */
  requests: string[];
  /** Those requests that went neither to an origin of the test nor to the page's own data. */
  foreignRequests(): string[];
};

/** Pages answer in a second; this leaves time for a busy machine. */
const PATIENCE_MS = 120_000;

const isLocal = (url: string): boolean => /^(data|blob):/.test(url);

/** @param origins the servers that pages may use; relative paths are on the first */
const usePages = (browser: Browser, origins: readonly string[]) => {
  const allowed = new Set(origins.map((origin) => new URL(origin).origin));

  /** An empty page in a context of its own: without cookies, storage and cache of other pages. */
  const newPage = async (view: View = {}): Promise<OpenedPage> => {
    const { width = 1_100, height = 900, scheme = "light", media = "screen", reducedMotion = false, locale } = view;
    const context = await browser.newContext({
      ...(origins[0] !== undefined && { baseURL: origins[0] }),
      ...(locale !== undefined && { locale }),
      viewport: { width, height },
      isMobile: width < 600,
      colorScheme: scheme,
      reducedMotion: reducedMotion ? "reduce" : "no-preference",
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const complaints: string[] = [];
    const requests: string[] = [];
    context.on("console", (message) => complaints.push(message.text()));
    context.on("weberror", (error) => complaints.push(String(error.error())));
    context.on("request", (request) => requests.push(request.url()));
    const page = await context.newPage();
    if (media === "print") await page.emulateMedia({ media });
    const foreignRequests = () => requests.filter((url) => !isLocal(url) && !allowed.has(new URL(url).origin));
    return { page, complaints, requests, foreignRequests };
  };

  return {
    newPage,
    /** A new page that shows an address, which may be relative to the first origin. */
    async open({ path, ...view }: View & { path: string }): Promise<OpenedPage> {
      const opened = await newPage(view);
      await opened.page.goto(path);
      return opened;
    },
    /** Closes all pages of this file. */
    async closePages(): Promise<void> {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    /** Closes all pages of this file. Stops the browser unless it is shared. */
    stop: () => browser.close(),
  };
};

export type PageBrowser = ReturnType<typeof usePages>;

/**
 * The browser that all test files of a run share. It starts when the first file asks for it.
 * @param origins the servers that pages may use; relative paths are on the first
 */
export const shareBrowser = async (origins: readonly string[] = []): Promise<PageBrowser> =>
  usePages(await chromium.connect(await askShared<string>("browser")), origins);

/** A browser of its own, for a command, or for a test that stops the browser or changes all of it. */
export const startChromium = async (origins: readonly string[] = []): Promise<PageBrowser> =>
  usePages(await chromium.launch(await prepareChromium()), origins);
