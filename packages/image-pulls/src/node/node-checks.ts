import { kubeletLimit } from '../config/kubelet-limit.js';
import type { NodeFacts } from './node-facts.js';
import { isNewEnough, oldestNode } from './node-version.js';

/** What was found about one thing. `problem` is that pulls are not limited as wanted, or fail for a hidden reason. */
export interface NodeFinding {
  readonly check: string;
  readonly result: 'ok' | 'note' | 'problem';
  readonly message: string;
  readonly fix?: string;
}

type Check = (facts: NodeFacts) => NodeFinding | undefined;

/** Everything on a node that makes a limit of pulls something else than it looks like. */
export function checkNode(facts: NodeFacts): readonly NodeFinding[] {
  return checks.flatMap((check) => check(facts) ?? []);
}

const finding =
  (check: string) =>
  (result: NodeFinding['result'], message: string, fix?: string): NodeFinding => ({
    check,
    result,
    message,
    ...(fix !== undefined && { fix }),
  });

const limiter: Check = ({ daemon, listen }) => {
  const say = finding('limiter');
  if (!daemon)
    return say('problem', `no limiter answers at ${listen}`, 'slipway pulls install, or slipway pulls serve');
  if (daemon.bypassed) return say('problem', 'it is bypassed: nothing is limited', 'slipway pulls bypass --off');
  if (!daemon.runtimeUp) return say('problem', 'the container runtime behind it does not answer', 'start the runtime');
  if (daemon.limit === 0) return say('note', 'it has no limit', 'slipway pulls limit N');
  return say('ok', `at most ${daemon.limit} at once`);
};

const endpoint: Check = ({ kubelet, kubeletProblem, listen }) => {
  const say = finding('kubelet endpoint');
  if (!kubelet) {
    const fix = 'name its file with --kubelet-config, and its drop-ins with --kubelet-config-dir';
    return say('problem', `cannot read ${kubeletProblem}`, fix);
  }
  const { imageServiceEndpoint } = kubelet;
  if (imageServiceEndpoint === `unix://${listen}`) return say('ok', 'its image calls come to the limiter');
  if (!imageServiceEndpoint) {
    return say('problem', 'its image calls go to the runtime, past the limiter', 'slipway pulls install');
  }
  return say(
    'problem',
    `another image proxy is there: ${imageServiceEndpoint}`,
    'slipway pulls install puts the limiter before it, with it as the runtime',
  );
};

/** Serial is the default of a kubelet, and then a limiter never sees two pulls. */
const serial: Check = ({ kubelet, daemon }) => {
  if (!kubelet) return undefined;
  const say = finding('serial kubelet');
  const { kubeletRuns, problem } = kubeletLimit(kubelet);
  if (problem !== undefined) return say('problem', problem, 'correct the kubelet’s configuration');
  if (kubeletRuns !== 1) return say('ok', 'it pulls in parallel');
  const wanted = daemon?.limit === 1 ? 'note' : 'problem';
  return say(wanted, 'it pulls one image after the other, whatever the limit', 'serializeImagePulls: false');
};

const secondLimit: Check = ({ kubelet, daemon }) => {
  if (!kubelet || !daemon) return undefined;
  const { kubeletRuns } = kubeletLimit(kubelet);
  if (typeof kubeletRuns !== 'number' || kubeletRuns === 1) return undefined;
  const effective = daemon.limit === 0 ? kubeletRuns : Math.min(kubeletRuns, daemon.limit);
  return finding('second limit')(
    'note',
    `the kubelet limits to ${kubeletRuns} itself, one slot for each pod, so ${effective} holds and equal images are not shared`,
    'leave maxParallelImagePulls away, with serializeImagePulls: false',
  );
};

/** The kubelet refuses by rate before the limiter sees the pull, which people take for a failing registry. */
const rate: Check = ({ kubelet }) => {
  if (!kubelet) return undefined;
  const { registryPullQPS = 5, registryBurst = 10 } = kubelet;
  if (registryPullQPS === 0) return finding('pull rate')('ok', 'it refuses none by rate');
  return finding('pull rate')(
    'note',
    `it refuses with "pull QPS exceeded" above ${registryPullQPS}/s (burst ${registryBurst}), before the limiter is asked`,
    'registryPullQPS: 0',
  );
};

const crioSocket: Check = ({ kubelet, listen }) => {
  if (kubelet?.containerRuntimeEndpoint !== `unix://${listen}` || listen.endsWith('run/crio/crio.sock'))
    return undefined;
  return finding('runtime endpoint')(
    'note',
    'all calls of the kubelet come here; with CRI-O it would then count statistics otherwise, which it tells by the socket’s name',
    'with CRI-O front only the images',
  );
};

const crictl: Check = ({ hasCrictl, crictlImageEndpoint, listen }) => {
  if (!hasCrictl || crictlImageEndpoint === `unix://${listen}`) return undefined;
  return finding('crictl')('note', 'what crictl pulls goes past the limiter', `image-endpoint: unix://${listen}`);
};

/** The same number means another thing since containerd 2. */
const layers: Check = ({ containerdConfig }) => {
  if (containerdConfig === undefined) return undefined;
  const number = /^\s*max_concurrent_downloads\s*=\s*(\d+)/m.exec(containerdConfig)?.[1] ?? '3';
  const isLater = /^\s*version\s*=\s*[34]\b/m.test(containerdConfig);
  const isLocal = /use_local_image_pull\s*=\s*true/.test(containerdConfig);
  const what = isLater && !isLocal ? `${number} layers in all` : `${number} layers of each image`;
  return finding('layers')('note', `containerd fetches ${what} at once`);
};

const stalls: Check = ({ containerdConfig }) => {
  if (containerdConfig === undefined) return undefined;
  const timeout = /^\s*image_pull_progress_timeout\s*=\s*['"]([^'"]+)/m.exec(containerdConfig)?.[1];
  if (timeout !== undefined && !/^0/.test(timeout))
    return finding('stalls')('ok', `containerd ends a pull after ${timeout} without bytes`);
  return finding('stalls')(
    'note',
    'containerd may wait for a silent registry without a limit (before 1.7 always)',
    'image_pull_progress_timeout = "5m0s", or stall: {do: cancel} of the limiter',
  );
};

const mirrors: Check = ({ mirrors: all }) => {
  if (all.length === 0) return undefined;
  const away = all.filter(({ answers }) => !answers).map(({ url }) => url);
  if (away.length === 0) return finding('mirrors')('ok', 'all answer');
  return finding('mirrors')(
    'problem',
    `${away.join(', ')} do not answer, and containerd tries them for every layer`,
    'take them out of /etc/containerd/certs.d',
  );
};

const socket: Check = ({ socketMode, folderMode, listen }) => {
  if (socketMode === undefined || folderMode === undefined) return undefined;
  const open = (socketMode & 0o077) !== 0 || ((folderMode & 0o022) !== 0 && (folderMode & 0o1000) === 0);
  const say = finding('socket');
  return open
    ? say(
        'problem',
        `others than its owner may use ${listen}, with credentials passing through`,
        `chmod 0600 ${listen}`,
      )
    : say('ok', 'only its owner may use it');
};

const version: Check = ({ nodeVersion }) => {
  const say = finding('Node.js');
  return isNewEnough(nodeVersion)
    ? say('ok', nodeVersion)
    : say('problem', `${nodeVersion} is too old`, `install Node.js ${oldestNode} or later`);
};

const checks: readonly Check[] = [
  limiter,
  endpoint,
  serial,
  secondLimit,
  rate,
  crioSocket,
  crictl,
  layers,
  stalls,
  mirrors,
  socket,
  version,
];
