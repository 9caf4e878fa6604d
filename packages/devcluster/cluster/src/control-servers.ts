import type { ServerControl, ServerSettings } from './api-server-process.js';
import type { Cluster } from './cluster.js';
import { isGateValues } from './component-gates.js';
import { ControlError } from './control-socket.js';

/** What the control verb `servers` answers for each API server. */
export interface ServerStatus extends Pick<ServerControl, 'number' | 'identity' | 'url' | 'version' | 'featureGates'> {
  readonly state: 'Running' | 'Stopped';
}

/** What the control verb `server` can be asked to do. */
export const serverActions = ['stop', 'start', 'restart'] as const;

export type ServerAction = (typeof serverActions)[number];

/** Returns the present status of an API server. */
export function serverStatus(server: ServerControl): ServerStatus {
  const { number, identity, url, version, featureGates, isRunning } = server;
  return { number, identity, url, version, featureGates, state: isRunning ? 'Running' : 'Stopped' };
}

/** Does what `{action, server, version?, featureGates?}` says, and answers how the server is then. */
export async function actOnServer(
  { servers }: Pick<Cluster, 'servers'>,
  args: Readonly<Record<string, unknown>>,
): Promise<ServerStatus> {
  const action = serverActions.find((each) => each === args.action);
  if (!action) throw new ControlError(`an API server can be asked to ${serverActions.join(', ')}`);
  const server = servers.find(({ number }) => number === args.server);
  if (!server) {
    const numbers = servers.map(({ number }) => number).join(', ');
    throw new ControlError(`there is no API server ${JSON.stringify(args.server)}`, `name one of: ${numbers}`);
  }
  await (action === 'stop' ? server.stop() : server[action](changesIn(args)));
  return serverStatus(server);
}

function changesIn({ version, featureGates }: Readonly<Record<string, unknown>>): Partial<ServerSettings> {
  if (version !== undefined && typeof version !== 'string') throw new ControlError('a version is a text, such as 1.36');
  if (featureGates !== undefined && !isGateValues(featureGates)) throw new ControlError('gates are true or false');
  return { ...(version !== undefined && { version }), ...(featureGates !== undefined && { featureGates }) };
}
