/** Examples at the end of a command's help, each as it would be typed. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  drumlin ${line}\n`).join('')}`;
