/**
 * Long work shares the event loop: between two slices it asks the pacer, which lets others run when a few milliseconds
 * have passed.
 */
export interface Pacer {
  /** Resolves at once, or after everything that was waiting has had its turn. */
  pause(): Promise<void> | undefined;
}

/** Yields after `millis` of work. */
export function politePacer(millis = 4): Pacer {
  let until = performance.now() + millis;
  return {
    pause() {
      if (performance.now() < until) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          until = performance.now() + millis;
          resolve();
        });
      });
    },
  };
}

/** For a process that has nothing else to do. */
export const flatOut: Pacer = { pause: () => undefined };
