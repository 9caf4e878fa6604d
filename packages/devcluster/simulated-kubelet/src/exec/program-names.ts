import { posix } from 'node:path';

/** Shells of a simulated container; they are one. */
export const shellNames: ReadonlySet<string> = new Set(['sh', 'ash', 'bash', 'dash']);

/** Names of the programs that are simulated, beside the shells: known without loading what runs them. */
export const programNames: readonly string[] = (
  ': [ [[ agnhost agnhost-2 awk cat cd chmod chown cp curl date echo env expr false grep head hexdump hostname id ls mkdir mv printenv printf pwd rm seq ' +
  'sleep sort stty sync tail tar tee test touch true uname wc wget whoami'
).split(' ');

const names: ReadonlySet<string> = new Set([...programNames, ...shellNames]);

/** Whether the container has such a program, and is not only told that it has. */
export function isProgram(path: string): boolean {
  return names.has(posix.basename(path));
}
