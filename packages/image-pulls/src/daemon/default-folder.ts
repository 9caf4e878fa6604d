import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { defaultPullsSettings } from '../config/pulls-settings.js';
import { reasonOf } from './listener.js';
import { ListenError } from './unix-listener.js';

/**
 * Makes the folder of the default sockets for a socket that is to be there: it does not outlive a restart of the machine,
 * and before the first start it does not exist.
 * @throws ListenError
 */
export function makeDefaultFolder(addresses: readonly string[], folder = dirname(defaultPullsSettings.listen)): void {
  if (!addresses.some((address) => dirname(address) === folder) || existsSync(folder)) return;
  try {
    // One by one: a recursive mkdir hides why it fails.
    for (const each of [dirname(folder), folder]) if (!existsSync(each)) mkdirSync(each, 0o700);
  } catch (cause) {
    const why = reasonOf(cause as NodeJS.ErrnoException);
    throw new ListenError(
      `cannot create ${folder} for the socket: ${why}; run as root, or name another with --listen`,
      {
        cause,
      },
    );
  }
}
