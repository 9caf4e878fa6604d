import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import type { VersionInfo } from '../discovery/version.js';
import type { Zpage } from './zpage.js';

/** Separators of a name and its value: one is chosen at random, so that programs do not parse the page. */
const separators = [':', ': ', '=', ' '];

/**
 * Since when a server runs, which it is, and where more is to be learnt.
 * @param drawn at random, at least 0 and below 1
 */
export function statusz(
  version: VersionInfo,
  times: { readonly startedMs: number; readonly nowMs: number },
  paths: readonly string[],
  drawn: number,
): Zpage {
  const { goVersion, gitVersion, emulationMajor, emulationMinor } = version;
  const seconds = Math.floor((times.nowMs - times.startedMs) / 1000);
  const binaryVersion = gitVersion.replace(/^v|\+.*$/g, '');
  const emulationVersion = `${emulationMajor}.${emulationMinor}`;
  return {
    kind: 'Statusz',
    text: () => {
      const separator = separators[Math.floor(drawn * separators.length)];
      const rows = [
        ['Started', unixDate(times.startedMs)],
        ['Up', upTime(seconds)],
        ['Go version', goVersion],
        ['Binary version', binaryVersion],
        ['Emulation version', emulationVersion],
        ['Paths', paths.join(' ')],
      ];
      return `\n${rows.map(([name, value]) => `${name}${separator} ${value}\n`).join('')}`;
    },
    fields: () => ({
      startTime: objectTime(times.startedMs),
      uptimeSeconds: seconds,
      goVersion,
      binaryVersion,
      emulationVersion,
      paths,
    }),
  };
}

/** `Fri Nov 20 10:49:51 UTC 2026` */
function unixDate(ms: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(/,? /);
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} UTC ${year}`;
}

/** `0 hr 06 min 24 sec` */
function upTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
