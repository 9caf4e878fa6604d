import { badRequest, methodNotSupported } from '@slipway/api-machinery/errors/status-errors';
import { sleep } from '@slipway/kube';
import { exitStatus } from '@slipway/kube-objects/node-connection/exit-status';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { channelProtocols, channelSession, spdySession, type WantedStreams } from '../streaming/remote-session.js';
import { upgrade } from '../streaming/upgrade.js';
import { podOnNode, runningContainer } from './container-view.js';
import { whileRunning } from './while-running.js';

const offer = { webSocket: channelProtocols, spdy: ['v4.channel.k8s.io'] };

/** Runs a command in a container, with the client at its keyboard. */
export function exec(core: Core, call: Call): ApiAnswer {
  const command = call.query.all('command');
  const wanted = wantedStreams(call);
  const pod = podOnNode(core, call);
  const view = runningContainer(core, pod, call.query.get('container') ?? '');
  if (command.length === 0) throw badRequest('you must specify at least one command for the container');
  return withTerminal(call, wanted, (terminal) => {
    const killed = exitStatus(137);
    return core.nodes.exec(view, { command, ...wanted }, whileRunning(core, view, terminal, killed));
  });
}

/** Lets a client talk to a process over the connection of its request. */
export function withTerminal(call: Call, wanted: WantedStreams, run: (terminal: Terminal) => Promise<void>): ApiAnswer {
  return upgrade(call.request, offer, (link, { over, protocol }) => {
    const opened = over === 'websocket' ? afterAWhile(channelSession(link, protocol), call) : spdySession(link, wanted);
    opened.then(run).catch(() => link.close());
  });
}

/** How long a process takes to start, in milliseconds: kubectl 1.31 and 1.32 throw away what comes before they listen. */
const startMs = 20;

async function afterAWhile(session: Terminal, { request: { clock } }: Call): Promise<Terminal> {
  if (clock) await sleep(clock, startMs);
  return session;
}

/** @throws StatusError when the client asks in another way than clients of streams do, or for none */
export function wantedStreams({ request, definition, query }: Call): WantedStreams {
  if (request.method !== 'GET' && request.method !== 'POST') {
    throw methodNotSupported(definition, request.method.toLowerCase());
  }
  const isWanted = (name: string) => query.flag(name);
  const tty = isWanted('tty');
  const [stdin, stdout, stderr] = ['stdin', 'stdout', 'stderr'].map(isWanted) as [boolean, boolean, boolean];
  if (!stdin && !stdout && !stderr) throw badRequest('you must specify at least 1 of stdin, stdout, stderr');
  return { stdin, stdout, stderr: stderr && !tty, tty };
}
