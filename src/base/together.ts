/**
 * Waits for several pieces of work to end, then throws the first failure. Unlike `Promise.all` it
 * does not return while another is under way: a caller can then close files that none still writes.
 */
export async function together<Work extends readonly unknown[]>(
  work: readonly [...{ [I in keyof Work]: Promise<Work[I]> }],
): Promise<Work> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return ended.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as Work;
}
