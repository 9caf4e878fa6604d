import { objectTime } from '../write/object-time.js';
import type { VersionInfo } from './version.js';
import type { Zpage } from './zpage.js';

/** Since when a server runs, which it is, and where more is to be learnt. */
export function statusz(
  version: VersionInfo,
  times: { readonly startedMs: number; readonly nowMs: number },
  paths: readonly string[],
): Zpage {
  const { goVersion, gitVersion, emulationMajor, emulationMinor } = version;
  const seconds = Math.floor((times.nowMs - times.startedMs) / 1000);
  const binaryVersion = gitVersion.replace(/^v|\+.*$/g, '');
  const emulationVersion = `${emulationMajor}.${emulationMinor}`;
  return {
    kind: 'Statusz',
    text: () =>
      `\nStarted: ${unixDate(times.startedMs)}\nUp: ${upTime(seconds)}\nGo version: ${goVersion}\n` +
      `Binary version: ${binaryVersion}\nEmulation version: ${emulationVersion}\nPaths: ${paths.join(' ')}\n`,
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
