/** Asks once, and remembers; an answer is never undefined. */
export function onceAsked<T>(question: () => T): () => T {
  let answer: T | undefined;
  return () => {
    answer ??= question();
    return answer;
  };
}
