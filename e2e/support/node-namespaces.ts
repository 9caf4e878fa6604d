import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from './control-plane.js';
import type { RealKubernetes } from './real-kubernetes.js';
import { eventually } from './slipway.js';

/** Mounts and processes of a node, in the network of a cluster. */
export interface NodeNamespaces {
  /** The words before a command that run it there. */
  readonly enter: readonly string[];
  start(name: string, ...command: string[]): NodeProcess;
  /** Kills all processes that were started there, with all that they started. */
  end(): Promise<void>;
}

export interface NodeProcess {
  /** SIGKILL. */
  kill(): Promise<void>;
}

/**
 * Ends with its standard input. What the kubelet and the runtime keep outside of their folders is hidden from the machine:
 * network namespaces, logs, and settings of the kernel, which kubelets change for the whole machine.
 */
const hold = `set -e
mkdir -p /var/log /var/lib/cni
for folder in /run /var/log /var/lib/cni; do mount -t tmpfs none "$folder"; done
for setting in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  mkdir -p "/run/sys/$setting"
  cat "/proc/sys/$setting" > "/run/sys/$setting/value"
  mount --bind "/run/sys/$setting/value" "/proc/sys/$setting"
done
echo up
exec cat`;

/** Makes the namespaces; logs of what runs in them are `NAME.log` in a folder. */
export async function nodeNamespaces(real: RealKubernetes, folder: string): Promise<NodeNamespaces> {
  const logOf = (name: string) => join(folder, `${name}.log`);
  const spawned = (name: string, program: string, words: readonly string[]) => {
    const log = openSync(logOf(name), 'a');
    const child = spawn(program, words, { stdio: ['pipe', log, log] });
    closeSync(log);
    return child;
  };
  const unshared = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', hold];
  const holder = spawned('namespaces', real.inside('unshare'), unshared);
  await eventually('the namespaces are there', async () => readFileSync(logOf('namespaces'), 'utf8').includes('up'));
  const enter = ['nsenter', '-t', `${programOf(holder)}`, '--net', '--mount', '--pid'];
  return {
    enter,
    start(name, ...command) {
      const child = spawned(name, 'nsenter', [...enter.slice(1), ...command]);
      return {
        async kill() {
          const pid = await eventually(`${name} runs`, async () => programOf(child));
          const ended = new Promise((resolve) => child.once('exit', resolve));
          process.kill(pid, 'SIGKILL');
          await ended;
        },
      };
    },
    end: () => endProcess(holder),
  };
}

/** The process id, as seen from outside, of what `unshare` or `nsenter` has started and waits for. */
function programOf({ pid }: ChildProcess): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children) || undefined;
}
