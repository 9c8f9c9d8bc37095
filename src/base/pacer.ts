/**
 * Long work shares the event loop: between two slices it calls the pacer, which lets other
 * callbacks run every few milliseconds.
 */
export interface Pacer {
  /** Undefined when there is no need to pause; else resolves after the callbacks already queued. */
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
