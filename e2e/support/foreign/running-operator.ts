import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathsOf } from '../../../tools/foreign/operator-programs.mjs';
import type { Operator, Software, Surroundings } from '../../../tools/foreign/operators.mjs';
import { endProcess } from '../control-plane.js';
import { freePort } from '../free-port.js';
import { kubeconfigOf } from '../service-account.js';
import { eventually, type RunningCluster } from '../slipway.js';
import {
  accountOf,
  callOnLoopback,
  namespaceOf,
  readManifests,
  serverServices,
  withoutApiServices,
} from './operator-manifests.js';
import { issueInto, mountInto } from './webhook-certificates.js';

/** A program of an operator, beside a cluster that has its manifests. */
export interface RunningOperator extends AsyncDisposable {
  /** The last lines that it wrote, and how it ended. */
  log(): string;
}

/** Applies the manifests of an operator, and starts its programs, if it has any, as the account that they give rights to. */
export async function startOperator(cluster: RunningCluster, operator: Operator): Promise<RunningOperator> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-foreign-'));
  const [certificates, port, apiPort] = [join(folder, 'certificates'), await freePort(), await freePort()];
  await applyManifests(cluster, operator, { certificates, port, apiPort }, pathsOf(operator).sources);
  const { account, beside } = operator;
  const kubeconfig = account ? await kubeconfigOf(cluster, account.namespace, account.name) : cluster.kubeconfig;
  const given: Surroundings = { kubeconfig, certificates, port, apiPort, folder };
  if (operator.config) writeFileSync(join(folder, 'config.yaml'), JSON.stringify(operator.config(given)));
  for (const name of operator.emptyFiles ?? []) writeEmpty(join(folder, name));
  const children: ChildProcess[] = [];
  const logs: (() => string)[] = [];
  let isEnding = false;
  /** As a kubelet does, starts it again when it ends: some do when they have made their certificates. */
  const start = (software: Program) => {
    if (isEnding) return;
    const child = spawnProgram(software, given);
    children.push(child);
    logs.push(lastLines(child));
    child.once('exit', () => setTimeout(start, 1_000, software));
  };
  const running = {
    log: () =>
      logs
        .slice(-4)
        .map((log) => log())
        .join('\n'),
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await Promise.all(children.map((child) => endProcess(child)));
      removeFolder(folder);
    },
  };
  try {
    if (operator.program) start(operator);
    if (operator.webhookSecret) await mountSecret(cluster, operator.webhookSecret, certificates, running);
    if (beside) start(beside);
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

type Program = Software & Pick<Operator, 'args' | 'env'>;

function spawnProgram(software: Program, given: Surroundings): ChildProcess {
  const { kubeconfig, folder } = given;
  return spawn(pathsOf(software).program, software.args?.(given) ?? [], {
    cwd: folder,
    env: { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder, ...software.env?.(given) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function writeEmpty(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs kubectl, and returns what it prints; throws what it complains of. */
export async function kubectl(cluster: RunningCluster, words: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(words, stdin === undefined ? {} : { stdin });
  if (code !== 0) throw new Error(`kubectl ${words.join(' ')}: ${stderr}`);
  return stdout;
}

async function applyManifests(
  cluster: RunningCluster,
  { manifests, account, webhookSecret, beside }: Operator,
  { certificates, port, apiPort }: Pick<Surroundings, 'certificates' | 'port' | 'apiPort'>,
  sources: string,
): Promise<void> {
  const read = await readManifests(manifests.map((path) => join(sources, path)));
  const objects = beside ? read : withoutApiServices(read);
  const names = serverServices(objects).map(({ namespace, name }) => `${name}.${namespace}.svc`);
  const ca = webhookSecret ? undefined : await issueInto(certificates, ['localhost', ...names]);
  const services = callOnLoopback(
    objects,
    { webhook: port, APIService: apiPort },
    ca && Buffer.from(ca).toString('base64'),
  );
  const list = {
    apiVersion: 'v1',
    kind: 'List',
    items: [...(account ? [namespaceOf(account.namespace), accountOf(account)] : []), ...services, ...objects],
  };
  await kubectl(cluster, ['apply', '--server-side', '-f', '-'], JSON.stringify(list));
  await kubectl(cluster, ['wait', 'crd', '--all', '--for=condition=Established']);
}

/** Waits until the operator has filled the Secret of its webhooks, and mounts it. */
async function mountSecret(
  cluster: RunningCluster,
  { namespace, name }: { namespace: string; name: string },
  folder: string,
  { log }: RunningOperator,
): Promise<void> {
  const data = await eventually(`${name} has certificates`, async () => {
    const secret = JSON.parse(await kubectl(cluster, ['get', 'secret', name, '-n', namespace, '-o', 'json']));
    return secret.data?.['tls.key'] !== undefined && secret.data;
  }).catch((error) => {
    throw new Error(log(), { cause: error });
  });
  mountInto(folder, data);
}

function lastLines(child: ChildProcess): () => string {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      lines.splice(0, lines.length - 60);
    });
  }
  child.once('error', (error) => lines.push(String(error)));
  child.once('exit', (code, signal) => lines.push(`ended with ${code ?? signal}`));
  return () => lines.join('\n');
}
