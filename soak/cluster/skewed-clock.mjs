/** Loaded before a worker: its time of day is wrong by SOAK_CLOCK_AHEAD milliseconds. */
const ahead = Number(process.env.SOAK_CLOCK_AHEAD ?? 0);
const real = Date.now;
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(real() + ahead);
    else super(...args);
  }

  static now() {
    return real() + ahead;
  }
};
