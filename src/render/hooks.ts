/** What a program does with pages in the browser, before and after they load. */

/** A page in the browser. Its calls reject when the page crashes or is out of time. */
export interface BrowserPage {
  /** The URL of the page, as it was fetched. */
  readonly url: string;
  /**
   * Runs an expression among the scripts of the page, and resolves with its value, which must be
   * plain data. A promise is awaited.
   */
  evaluate(expression: string): Promise<unknown>;
  /** Runs a script before any other in every document that the page loads from now on. */
  addScript(source: string): Promise<void>;
  /** Calls the DevTools protocol for the page, such as `Emulation.setDeviceMetricsOverride`. */
  send(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export interface RenderHooks {
  /** Called with an empty page, before it loads anything. */
  readonly beforeLoad?: ((page: BrowserPage) => void | Promise<void>) | undefined;
  /** Called when the page has loaded and is quiet, before its links and HTML are taken. */
  readonly afterLoad?: ((page: BrowserPage) => void | Promise<void>) | undefined;
}
