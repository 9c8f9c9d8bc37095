/** Settings of crawls in virtual time, as in `drumlin lab run`. */
export const SETTINGS = { delay: 4000, addressDelay: 500, fetches: 64 };
