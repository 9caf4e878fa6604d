import { readFileSync } from 'node:fs';
import type { LocalTasks } from '@slipway/features';
import { errorMessage } from '@slipway/kube';
import { CommandError, exit } from '../runtime/exit.js';

/**
 * Reads the file of webhooks, jobs and analyses that a feature server is given; undefined when none is.
 * @throws CommandError (usage) when it cannot be used
 */
export async function tasksIn(path: string | undefined): Promise<LocalTasks | undefined> {
  if (path === undefined) return undefined;
  const { readLocalTasks } = await import('@slipway/features');
  const { parseYaml } = await import('@slipway/safe-yaml');
  try {
    return readLocalTasks(parseYaml(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = errorMessage(error);
    const hint = 'give a file such as: {webhooks: {drain: {url: "https://drain.acme.svc/"}}}';
    throw new CommandError(exit.usage, `${path}: ${why}`, hint, { cause: error });
  }
}
