import { existsSync } from 'node:fs';
import type { LimiterAddress } from '@slipway/console';
import { CommandError, exit } from '../runtime/exit.js';

const usual = {
  name: 'this machine',
  socket: '/run/slipway/pulls/image.sock.admin',
  journal: '/var/lib/slipway/pulls/journal',
};

/**
 * The pull limiters that a console shows: those of `[name=]socket`, or that of this machine.
 * @param journal of the first of them
 * @throws CommandError (usage) for two with one name
 */
export function limitersOf(named: readonly string[] = [], journal?: string): readonly LimiterAddress[] {
  const journalOfFirst = [journal, named.length === 0 ? usual.journal : undefined].find(
    (path) => path !== undefined && (path === journal || existsSync(path)),
  );
  if (named.length === 0) return [{ name: usual.name, socket: usual.socket, journal: journalOfFirst, isAssumed: true }];
  const addresses = named.map((text, at) => {
    const [, name, socket = text] = /^([^=/]+)=(.+)$/.exec(text) ?? [];
    return { name: name ?? socket, socket, journal: at === 0 ? journalOfFirst : undefined };
  });
  const names = addresses.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return addresses;
  throw new CommandError(exit.usage, `--pulls: two limiters are called ${twice}`, 'name them, as in --pulls a=SOCKET');
}
