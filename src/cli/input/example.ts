/** The examples at the end of a command's help, each as a user types it. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  drumlin ${line}\n`).join('')}`;
