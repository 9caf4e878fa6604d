import { posix } from 'node:path';
import type { Container, Probe } from '@slipway/kube-objects/kinds/api/pods';
import { portOf, testServerOf } from '../ports/test-servers.js';
import type { ProbeTurn } from './probe-script.js';

/** The server `liveness` of the image for tests is healthy for so long. */
const healthyMs = 10_000;
const grpcPort = 5000;
const webPort = 80;

/** Returns the results of a probe of a server of the image for Kubernetes' tests; undefined when they are not known. */
export function knownServerTurns(container: Container, probe: Probe | undefined): readonly ProbeTurn[] | undefined {
  const [server, ...flags] = testServerOf(container) ?? [];
  if (!server || !probe) return undefined;
  const { httpGet, grpc } = probe;
  if (server === 'liveness' && httpGet?.path === '/healthz') {
    return [
      { fromMs: 0, succeeds: true },
      { fromMs: healthyMs, succeeds: false },
    ];
  }
  if (
    server === 'test-webserver' &&
    typeof httpGet?.port === 'number' &&
    httpGet.port !== portOf(flags, 'port', webPort)
  ) {
    return [{ fromMs: 0, succeeds: false }];
  }
  if (server === 'grpc-health-checking' && grpc && grpc.port !== grpcPort) return [{ fromMs: 0, succeeds: false }];
  return undefined;
}

/** Returns the path of the file or folder that a probe gets from the web server of that image, which serves all of its container. */
export function servedFile(container: Container, probe: Probe | undefined): string | undefined {
  const [server, ...flags] = testServerOf(container) ?? [];
  const { path = '/', port } = probe?.httpGet ?? {};
  if (server !== 'test-webserver' || port !== portOf(flags, 'port', webPort)) return undefined;
  return posix.resolve('/', decodeURIComponent(new URL(path, 'http://localhost').pathname));
}
