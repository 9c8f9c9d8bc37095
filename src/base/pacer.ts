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

/**
 * Works at most half of the time: what else there is to do is done as if there were no such work.
 */
export function restingPacer(millis = 8): Pacer {
  let began = performance.now();
  return {
    pause() {
      const worked = performance.now() - began;
      if (worked < millis) return undefined;
      return new Promise((resolve) => {
        setTimeout(() => {
          began = performance.now();
          resolve();
        }, worked);
      });
    },
  };
}

/** For a process that has nothing else to do. */
export const flatOut: Pacer = { pause: () => undefined };
