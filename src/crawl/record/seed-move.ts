/** A seed that redirects elsewhere: the scope of the crawl follows it. */
export type SeedMove = readonly [from: string, to: string];
