/** A flag of `slipway pulls serve`. */
interface ServeFlag {
  /** The word for its value in the help; a flag without one takes no value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly help: string;
}

/**
 * Every flag of `slipway pulls serve`, for the daemon, its help, completion and manual page. The daemon loads this file
 * before everything else: keep it to data.
 */
export const serveFlags = {
  runtime: { value: 'socket', help: 'socket of the runtime (default: unix:///run/containerd/containerd.sock)' },
  listen: {
    value: 'socket',
    help: 'socket for the kubelet’s imageServiceEndpoint, or fd:3 for the one that systemd passes on (default: /run/slipway/pulls/image.sock)',
  },
  limit: {
    value: 'n',
    help: 'pulls at once, 0 for no limit, or fromKubelet to read its configuration (default: 0)',
  },
  'kubelet-config': { value: 'file', help: 'the kubelet’s configuration, for --limit fromKubelet' },
  'kubelet-config-dir': {
    value: 'folder',
    help: 'its drop-ins, as the kubelet’s --config-dir names them',
  },
  'on-full': {
    value: 'mode',
    choices: ['wait', 'retry', 'fail'],
    help: 'what a call does while no slot is free: wait until a pull ends, retry three times and then fail, or fail at once (default: wait)',
  },
  services: {
    value: 'which',
    choices: ['cri', 'all'],
    help: 'cri forwards only CRI calls, all every service of the runtime (default: all)',
  },
  config: { value: 'file', help: 'a PullsConfiguration; flags take precedence' },
  admin: {
    value: 'socket',
    help: 'socket for slipway pulls top and the others (default: the one of --listen and ".admin")',
  },
  metrics: { value: 'address', help: 'address of /metrics, /healthz and /readyz, for example 127.0.0.1:9427' },
  'take-over': { help: 'take over from the limiter that listens there now, without a failed call' },
  'feature-gates': { value: 'gates', help: 'ParallelImagePullLimit=false limits nothing, whatever the cluster says' },
} as const satisfies Readonly<Record<string, ServeFlag>>;

type Flags = typeof serveFlags;

/** The values of these flags as they were typed. */
export type ServeFlagValues = {
  readonly [K in keyof Flags]?: Flags[K] extends { readonly value: string } ? string : boolean;
};

/** The same as a list. */
export const serveFlagList: readonly (ServeFlag & { readonly name: string })[] = Object.entries<ServeFlag>(
  serveFlags,
).map(([name, flag]) => ({ name, ...flag }));
