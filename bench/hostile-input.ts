/**
 * What hostile requests cost the other clients: for every input the status, the milliseconds to
 * the answer and the longest turn of the event loop meanwhile. The issue asks for answers within 200 ms and turns
 * within 50 ms. `BENCH_ONLY='^YAML'` plays those whose names match.
 * The CPU time of the longest turn is told as well, and that of the whole server: on a machine that others use at the
 * same time, turns take as long as those others let them.
 */
import { Agent, request as send } from 'node:https';
import { cpuMicros, startCluster } from './support/cluster.js';
import { credentialsOf } from './support/credentials.js';
import type { HostileInput } from './support/hostile/input.js';
import { hostileInputs } from './support/hostile-inputs.js';
import { quantile, report } from './support/report.js';

const only = new RegExp(process.env.BENCH_ONLY ?? '');
const cluster = await startCluster('--ephemeral', '--nodes', '1');
const credentials = credentialsOf(cluster.kubeconfig);
const agent = new Agent({ keepAlive: true, ...credentials });
const [tookMs, stallMs, turnCpuMs]: [number[], number[], number[]] = [[], [], []];

try {
  for (let at = 0; at < 20; at += 1) await ask({ what: 'warm', method: 'GET', path: '/api/v1/nodes' });
  for (const input of hostileInputs.filter(({ what }) => only.test(what))) {
    for (const earlier of input.before ?? []) await ask(earlier);
    // Definitions are established a moment after they are made.
    await pause(300);
    await cluster.stalls();
    await cluster.turnCpuMs();
    const cpuBefore = cpuMicros(cluster.pid);
    const startedAt = performance.now();
    const { code, text } = await ask(input);
    const ms = performance.now() - startedAt;
    // What goes on afterwards, such as compiling what was stored, stops others just as well.
    await pause(400);
    const { maxMs } = await cluster.stalls();
    const turnCpu = await cluster.turnCpuMs();
    for (const later of input.after ?? []) await ask(later);
    tookMs.push(ms);
    stallMs.push(maxMs);
    turnCpuMs.push(turnCpu);
    const mark = maxMs > 50 ? '!' : ms > 200 ? '~' : ' ';
    const cpuMs = (cpuMicros(cluster.pid) - cpuBefore) / 1_000;
    const [answer, turn, ofTurn, cpu] = [ms, maxMs, turnCpu, cpuMs].map(
      (value) => `${value.toFixed(0).padStart(5)} ms`,
    );
    const numbers = `${String(code).padStart(3)} ${answer}, turn ${turn}, its CPU ${ofTurn}, all CPU ${cpu}`;
    process.stdout.write(`${mark} ${numbers}  ${input.what}  ${text.slice(0, 110).replaceAll('\n', ' ')}\n`);
  }
  const target = (value: number) => ({ name: 'target', value });
  const [unit, better] = ['ms', 'less'] as const;
  report('hostile-input', [
    { what: `longest answer of ${tookMs.length}`, unit, better, value: Math.max(...tookMs), anchor: target(200) },
    { what: 'answers, p90', unit, better, value: quantile(tookMs, 0.9) },
    { what: 'longest turn of the event loop', unit, better, value: Math.max(...stallMs), anchor: target(50) },
    { what: 'longest turns, p90', unit, better, value: quantile(stallMs, 0.9) },
    { what: 'CPU time of the longest turn', unit, better, value: Math.max(...turnCpuMs), anchor: target(50) },
  ]);
} finally {
  agent.destroy();
  await cluster.stop();
}

function ask({ method = 'POST', path, headers, body = '' }: HostileInput): Promise<{ code: number; text: string }> {
  const { hostname: host, port } = new URL(cluster.url);
  const address = { host, port, agent, method, path: path ?? '/api/v1/namespaces/default/configmaps' };
  const type = method === 'GET' ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const asked = send({ ...address, headers: { ...type, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ code: answer.statusCode ?? 0, text: /"message":"(.*)/s.exec(text)?.[1] ?? '' });
      });
    });
    asked.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve({ code: answer.statusCode ?? 0, text: '' });
    });
    asked.on('error', (error) => resolve({ code: 0, text: error.message }));
    asked.end(body);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
