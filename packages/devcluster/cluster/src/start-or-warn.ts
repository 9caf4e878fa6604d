import type { Logger, Manager } from '@slipway/kube';

/** Starts a manager that a server can do without: its failure is logged, unless the start was called off. */
export async function startOrWarn(manager: Manager, log: Logger, signal: AbortSignal, message: string): Promise<void> {
  await manager.start().catch((error: unknown) => signal.aborted || log.warn(message, { error }));
}
