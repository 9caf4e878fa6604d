import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { conformanceCommand } from './conformance-command.js';

// Waits between two looks do not keep a process alive, and there may be nothing else to wait for.
const awake = setInterval(() => {}, 60_000);
process.exitCode = await conformanceCommand(process.argv.slice(2), {
  folder: fileURLToPath(new URL('../', import.meta.url)),
  kubeconfig: process.env.KUBECONFIG ?? join(homedir(), '.kube', 'config'),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isWatched: process.stderr.isTTY === true,
});
clearInterval(awake);
