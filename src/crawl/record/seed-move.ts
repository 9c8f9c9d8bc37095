export type SeedMove = readonly [from: string, to: string];
