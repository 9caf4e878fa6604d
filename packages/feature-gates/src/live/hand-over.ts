/** Brings a component from one value to the other. A rejection leaves the gate as it is; it is tried again later. */
export type ChangeHandler = (from: boolean, to: boolean) => void | Promise<void>;

/** Runs the handlers in order. When one rejects, those that had agreed are taken back and its error is thrown. */
export async function handOver(handlers: readonly ChangeHandler[], from: boolean, to: boolean): Promise<void> {
  const agreed: ChangeHandler[] = [];
  try {
    for (const handler of handlers) {
      await handler(from, to);
      agreed.unshift(handler);
    }
  } catch (error) {
    for (const handler of agreed) await takeBack(handler, from, to);
    throw error;
  }
}

async function takeBack(handler: ChangeHandler, from: boolean, to: boolean): Promise<void> {
  try {
    await handler(to, from);
  } catch {
    // The gate stays at `from` whatever the handler says; the error that counts is the first one.
  }
}
