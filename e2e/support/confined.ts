import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const filter = fileURLToPath(new URL('confine.py', import.meta.url));

/** As Linux numbers them. */
const families: Readonly<Record<string, number>> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10 };

/**
 * The words that run a program as a unit of systemd confines it, where no systemd runs: the file system is read-only, no
 * capability is left, and only those system calls and address families are allowed that the unit allows.
 * @param folder stays writable
 */
export function confined(unit: string, folder: string, words: readonly string[]): readonly string[] {
  const sockets = valuesOf(unit, 'RestrictAddressFamilies').map((name) => families[name] ?? 0);
  if (valuesOf(unit, 'CapabilityBoundingSet').length > 0) throw new Error('the unit keeps capabilities');
  const readOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift && exec "$@"';
  return [
    ...['unshare', '--mount', '--propagation', 'private', 'sh', '-c', readOnly, 'sh', folder],
    ...['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
    ...['/usr/bin/python3', filter, allowedCalls(unit).join(','), sockets.join(','), ...words],
  ];
}

/** Every value of a setting that may be given several times. */
function valuesOf(unit: string, setting: string): readonly string[] {
  const lines = unit.split('\n').filter((line) => line.startsWith(`${setting}=`));
  return lines.flatMap((line) => line.slice(setting.length + 1).split(' ')).filter((word) => word !== '');
}

function allowedCalls(unit: string): readonly string[] {
  const lines = unit.split('\n').filter((line) => line.startsWith('SystemCallFilter='));
  const allowed = new Set(callsOf('@default'));
  for (const line of lines) {
    const value = line.slice('SystemCallFilter='.length);
    const calls = value.replace(/^~/, '').split(' ').flatMap(callsOf);
    for (const call of calls) {
      if (value.startsWith('~')) allowed.delete(call);
      else allowed.add(call);
    }
  }
  return [...allowed];
}

/** The system calls of a group such as `@system-service`, and of the groups in it. */
function callsOf(name: string): readonly string[] {
  if (!name.startsWith('@')) return [name];
  const listed = execFileSync('systemd-analyze', ['syscall-filter', '--no-pager', name], { encoding: 'utf8' });
  const inside = listed.split('\n').filter((line) => /^ +[@a-z]/.test(line));
  return inside.flatMap((line) => callsOf(line.trim()));
}
