/** Calls `question` once and remembers the answer, which must not be undefined. */
export function onceAsked<T>(question: () => T): () => T {
  let answer: T | undefined;
  return () => {
    answer ??= question();
    return answer;
  };
}
