import { spawn } from 'node:child_process';
import { type KindName, objectKinds, type Step, type TestObject } from '../scenario.js';
import type { Answer, Runner } from './runner.js';

/** Plays scenarios with a kubectl binary, on the cluster of a kubeconfig file. */
export async function kubectlRunner(options: { program: string; kubeconfig: string }): Promise<Runner> {
  const { program } = options;
  const env = { ...process.env, KUBECONFIG: options.kubeconfig, KUBECTL_KYAML: 'false' };
  const version = await execute(program, ['version', '--client', '-o', 'json'], '', env);
  const { major, minor } = JSON.parse(version.stdout).clientVersion;
  const release = `${major}.${Number.parseInt(minor, 10)}`;
  return {
    name: `kubectl ${release}`,
    can: (kind) => kind === 'kubectl' || objectKinds.has(kind),
    async run(step, namespace) {
      const words = step.kubectl === undefined ? undefined : wordsOf(step.kubectl);
      const { args, stdin } = words ? { args: words, stdin: stdinOf(step) } : commandFor(step);
      const counts = step.expect?.requests !== undefined;
      const all = ['--namespace', namespace, ...(counts ? ['-v=6'] : []), ...args];
      const { exit, stdout, stderr } = await execute(program, all, stdin, env);
      if (words) return { exit, stdout, stderr, requests: requestsIn(stderr) };
      return objectAnswer(exit, stdout, stderr);
    },
  };
}

/** Splits at spaces; what stands in single quotes stays together. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
}

function stdinOf({ stdin = '' }: Step): string {
  return typeof stdin === 'string' ? stdin : stdin.map((object) => `---\n${JSON.stringify(object)}\n`).join('');
}

interface Command {
  readonly args: readonly string[];
  readonly stdin: string;
}

const json = ['-o', 'json'];
const fromStdin = ['-f', '-', ...json];

function commandFor(step: Step): Command {
  const named = (verb: string, { metadata, ...kind }: TestObject, ...more: string[]): Command => ({
    args: [verb, kindName(kind), metadata.name ?? '', ...more],
    stdin: '',
  });
  if (step.create) return { args: ['create', ...fromStdin], stdin: JSON.stringify(step.create) };
  if (step.replace) return { args: ['replace', ...fromStdin], stdin: JSON.stringify(step.replace) };
  if (step.read) return named('get', step.read, ...json, '--show-managed-fields');
  if (step.remove) return named('delete', step.remove, '--wait=false');
  if (step.change) {
    const patch = JSON.stringify(step.patch);
    return named('patch', step.change, '--type', step.type ?? 'merge', '--patch', patch, ...json);
  }
  if (step.apply) {
    const manager = ['--field-manager', step.manager ?? 'conformance', ...(step.force ? ['--force-conflicts'] : [])];
    const args = ['apply', '--server-side', '--show-managed-fields', ...manager, ...fromStdin];
    return { args, stdin: JSON.stringify(step.apply) };
  }
  const selector = step.labelSelector === undefined ? [] : ['-l', step.labelSelector];
  return { args: ['get', kindName(step.list ?? { apiVersion: '', kind: '' }), ...selector, ...json], stdin: '' };
}

/** `Deployment.v1.apps`, which names a version too. */
function kindName({ apiVersion, kind }: KindName): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return `${kind}.${version}.${group}`;
}

function objectAnswer(exit: number, stdout: string, stderr: string): Answer {
  if (exit === 0) return { object: stdout.startsWith('{') ? JSON.parse(stdout) : {} };
  return { refused: refusalIn(stderr) };
}

/** Parses the reason and the message of a `Status` from what kubectl prints for it. */
export function refusalIn(stderr: string): { reason: string; message: string } {
  const text = stderr.replace(/^Warning: .*\n/gm, '').trim();
  const [, reason, message] = /^Error from server \((\w+)\): (.*)$/s.exec(text) ?? [];
  if (reason !== undefined) return { reason, message: message ?? '' };
  if (/^The .* is invalid: /.test(text)) return { reason: 'Invalid', message: text };
  if (text.startsWith('error: Apply failed with')) return { reason: 'Conflict', message: text };
  if (text.startsWith('The request is invalid')) return { reason: 'Invalid', message: text };
  return { reason: 'Unknown', message: text };
}

/** Requests that `-v=6` tells of; 1.33 says it in key=value form, older ones in a line of text. */
export function requestsIn(stderr: string): number {
  const lines = stderr.split('\n');
  return lines.filter((line) => /\] (GET|POST|PUT|PATCH|DELETE) https?:\/\/.* in \d+ milli|"Response" verb=/.test(line))
    .length;
}

interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(
  program: string,
  args: readonly string[],
  stdin: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, timeout: 60_000, killSignal: 'SIGKILL' });
    const out = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      out.stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ exit: code ?? 137, ...out }));
    // A command that reads nothing may be gone before it is told anything.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });
}
