/** Waits until `is` holds, looking every few milliseconds; fails with what it waited for. */
export async function eventually(what: string, is: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (!(await is())) {
    if (performance.now() > untilMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
