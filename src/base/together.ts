/**
 * Does several pieces of work side by side, and fails like the first of them that failed, but only when none is under way any
 * more: whoever closes files afterwards closes none that is being written.
 */
export async function together<Work extends readonly unknown[]>(
  work: readonly [...{ [I in keyof Work]: Promise<Work[I]> }],
): Promise<Work> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return ended.map((each) => (each as PromiseFulfilledResult<unknown>).value) as unknown as Work;
}
