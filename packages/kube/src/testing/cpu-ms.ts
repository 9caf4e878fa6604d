/**
 * Milliseconds of processor time that `work` takes, in all threads of this process. How long that lasts is another
 * matter on a machine where others are busy.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
