import { mkdirSync, writeFileSync } from 'node:fs';
import { findNetworkPlugins } from '../../tools/real-parts.js';

/** Path of a file in the folder of a node. */
type At = (name: string) => string;

/** Writes a network of one node, and the name servers of its pods. */
export function writeNetwork(at: At): void {
  mkdirSync(at('net.d'));
  const ranges = [[{ subnet: '10.244.0.0/24' }]];
  const ipam = { type: 'host-local', ranges, dataDir: at('addresses'), routes: [{ dst: '0.0.0.0/0' }] };
  const network = { cniVersion: '0.4.0', name: 'real', plugins: [{ type: 'ptp', ipam }] };
  writeFileSync(at('net.d/real.conflist'), JSON.stringify(network));
  writeFileSync(at('resolv.conf'), 'nameserver 127.0.0.1\n');
}

/** Settings with which containerd's CRI plugin runs pods; images of Kubernetes come from the registry that has `pause`. */
export function criSettings(at: At, pause: string): string {
  mkdirSync(at('hosts/registry.k8s.io'), { recursive: true });
  const host = `http://${pause.split('/')[0]}`;
  writeFileSync(at('hosts/registry.k8s.io/hosts.toml'), `[host."${host}"]\n  capabilities = ["pull", "resolve"]\n`);
  return `  sandbox_image = "${pause}"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${at('hosts')}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${findNetworkPlugins()}"
    conf_dir = "${at('net.d')}"
`;
}

interface NodeSockets {
  readonly runtime: string;
  readonly images: string;
}

/** Lets pods have all of the machine, and never deletes images or evicts pods because its disk is full. */
export function kubeletConfiguration(at: At, sockets: NodeSockets, cgroupRoot: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: `unix://${sockets.runtime}`,
    imageServiceEndpoint: `unix://${sockets.images}`,
    serializeImagePulls: false,
    registryPullQPS: 0,
    cgroupDriver: 'cgroupfs',
    cgroupRoot,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    evictionHard: { 'memory.available': '50Mi' },
    imageGCHighThresholdPercent: 100,
    localStorageCapacityIsolation: false,
    podLogsDir: at('pod-logs'),
    volumePluginDir: at('volume-plugins'),
    resolvConf: at('resolv.conf'),
  };
}

export function schedulerFlags(at: At, credentials: string): readonly string[] {
  return [
    `--kubeconfig=${credentials}`,
    `--authentication-kubeconfig=${credentials}`,
    `--authorization-kubeconfig=${credentials}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${at('scheduler')}`,
    '--leader-elect=false',
  ];
}
